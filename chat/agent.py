"""The agent: it calls the tools it needs, then answers from what they found.

    agent ⇄ tools        a model that calls tools, at most MAX_ROUNDS times
    retrieve → answer    a model that can't: one search, then the answer
    answer               the last word once the rounds are used up

What leaves the graph is what a node writes to its stream: typed events. No other model call, here or
deeper down, can get into the answer.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.runtime import Runtime

from chat import calling
from chat.replying import reply
from chat.tools import Read, Search
from chat.turn import Turn
from kbsite.exceptions import ModelUnavailable

MAX_ROUNDS = 4
CALLS_AT_ONCE = 6


class State(TypedDict):
    """The messages so far, and how many times the tools were used."""

    messages: Annotated[list[AnyMessage], add_messages]
    rounds: int


def _begin(state: State, runtime: Runtime[Turn]) -> Literal["agent", "retrieve"]:
    return "agent" if runtime.context.model.calls_tools else "retrieve"


async def _agent(state: State, runtime: Runtime[Turn]) -> dict[str, object]:
    try:
        said = await reply(runtime, state["messages"], tools=(Search, Read))
    except ModelUnavailable as error:
        if error.code != "no_tools" or state["rounds"]:
            raise
        return {}
    if not state["rounds"]:
        _tell_intent(runtime, [call["args"].get("query", "") for call in said.tool_calls])
    return {"messages": [said]}


def _tell_intent(runtime: Runtime[Turn], queries: list[str]) -> None:
    payload = {"needs_retrieval": bool(queries), "sub_queries": [q for q in queries if q]}
    runtime.stream_writer({"type": "intent.extracted", "payload": payload})


def _after_agent(state: State) -> str:
    last = state["messages"][-1]
    if not isinstance(last, AIMessage):
        return "retrieve"
    return "tools" if last.tool_calls else END


async def _tools(state: State, runtime: Runtime[Turn]) -> dict[str, object]:
    last = state["messages"][-1]
    calls = last.tool_calls if isinstance(last, AIMessage) else []
    told: list[ToolMessage] = list(
        await asyncio.gather(*(calling.call(runtime, c) for c in calls[:CALLS_AT_ONCE]))
    )
    told += [calling.refused(c) for c in calls[CALLS_AT_ONCE:]]
    return {"messages": told, "rounds": state["rounds"] + 1}


def _after_tools(state: State) -> Literal["agent", "answer"]:
    return "agent" if state["rounds"] < MAX_ROUNDS else "answer"


async def _retrieve(state: State, runtime: Runtime[Turn]) -> dict[str, object]:
    turn = runtime.context
    asked = state["messages"][-1]
    words = turn.search_words()
    _tell_intent(runtime, [words])
    found = await calling.look_up_for(runtime, words)
    return {"messages": [HumanMessage(f"{found.text}\n\n{turn.question}", id=asked.id)]}


async def _answer(state: State, runtime: Runtime[Turn]) -> dict[str, object]:
    return {"messages": [await reply(runtime, state["messages"], tools=())]}


def _graph() -> StateGraph[State, Turn]:
    graph = StateGraph(State, context_schema=Turn)
    graph.add_node("agent", _agent)
    graph.add_node("tools", _tools)
    graph.add_node("retrieve", _retrieve)
    graph.add_node("answer", _answer)
    graph.add_conditional_edges(START, _begin)
    graph.add_conditional_edges("agent", _after_agent, ["tools", "retrieve", END])
    graph.add_conditional_edges("tools", _after_tools)
    graph.add_edge("retrieve", "answer")
    graph.add_edge("answer", END)
    return graph


agent = _graph().compile()
