// What every page does. Each module is one behaviour; it works on what is on the page, now or after a swap.
import "./toast.js";
import "./requests.js";
import "./dialog.js";
import "./focus.js";
import "./copy.js";
import "./theme.js";
import "./times.js";
import "./keys.js";
import "./list.js";
import "./palette.js";
import "./tree.js";
import "./branch_menu.js";
import "./drag.js";
import "./picker.js";
