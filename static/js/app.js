// What every page does. Each module is one behaviour and works on whatever is on the page, now or after a swap.
import "./toast.js";
