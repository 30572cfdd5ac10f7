// The editor of skills: toolbar and keys, completion of [[names]], pictures, preview, drafts.
import "./editor/complete.js"; // before the keys: an open list takes arrows, Enter, Tab and Escape
import "./editor/keys.js";
import "./editor/toolbar.js";
import "./editor/pictures.js";
import "./editor/preview.js";
import "./editor/drafts.js";
