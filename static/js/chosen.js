// The bar over a list says how many of its rows are chosen; #many is the form that does something with them.
const many = () => document.getElementById("many");
const boxes = () => [...many().elements].filter((one) => one.type === "checkbox");

document.addEventListener("change", (event) => {
  const all = event.target.closest("[data-all]");
  if (!many() || !(all || boxes().includes(event.target))) return;
  if (all) for (const box of boxes()) box.checked = all.checked;
  const chosen = boxes().filter((box) => box.checked).length;
  const bar = many().querySelector(".selection");
  bar.hidden = !chosen;
  bar.querySelector("b").textContent = chosen;
  const every = document.querySelector("[data-all]");
  if (!every) return;
  every.checked = chosen === boxes().length;
  every.indeterminate = chosen > 0 && !every.checked;
});
