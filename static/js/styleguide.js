// The styleguide's toast button.
import { say } from "./toast.js";

document.querySelector("[data-toast-demo]")?.addEventListener("click", () => say("Moved to “差旅与报销”.", { undo: "/styleguide/" }));
