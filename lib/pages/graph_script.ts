/** The script of the graph, for a browser. */

/**
 * The script of graphs, each in its own scrolling box: buttons and the keys plus, minus and 0 zoom, dragging scrolls, and a
 * document under the pointer or in focus highlights its relations. It defines `showGraph(svg)`, calls it for the graphs of the
 * page, and defines `make` for elements.
 */
export const GRAPH_SCRIPT = `function make(name, members, ...children) {
  const element = Object.assign(document.createElement(name), members);
  element.append(...children);
  return element;
}
function showGraph(svg) {
  const box = svg.parentElement, { width, height } = svg.viewBox.baseVal;
  let scale = 1;
  const zoom = (to) => {
    const middle = [box.scrollLeft + box.clientWidth / 2, box.scrollTop + box.clientHeight / 2].map((at) => at / scale);
    scale = Math.min(4, Math.max(0.1, to));
    svg.setAttribute("width", width * scale);
    svg.setAttribute("height", height * scale);
    box.scrollTo(middle[0] * scale - box.clientWidth / 2, middle[1] * scale - box.clientHeight / 2);
  };
  const fit = () => Math.min(1, box.clientWidth / width);
  const actions = { "+": () => zoom(scale * 1.25), "-": () => zoom(scale / 1.25), 0: () => zoom(scale === fit() ? 1 : fit()) };
  const tools = [["+", "Zoom in", "+"], ["-", "Zoom out", "−"], ["0", "Whole width", "Whole width"]].map(([key, ariaLabel, text]) =>
    make("button", { type: "button", ariaLabel, ariaKeyShortcuts: key, onclick: actions[key] }, text));
  box.before(make("div", { className: "graph-tools" }, ...tools));
  box.addEventListener("keydown", (event) => {
    const action = actions[event.key === "=" ? "+" : event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  });
  box.addEventListener("pointermove", (event) => {
    if (event.buttons === 1 && event.pointerType === "mouse") box.scrollBy(-event.movementX, -event.movementY);
  });
  const light = ({ target }) => {
    const id = target.closest("[data-id]")?.dataset.id, near = new Set([id]);
    for (const link of svg.querySelectorAll("[data-ends]")) {
      const ends = link.dataset.ends.split(" ");
      if (link.classList.toggle("near", ends.includes(id))) ends.forEach((end) => near.add(end));
    }
    for (const node of svg.querySelectorAll("[data-id]")) node.classList.toggle("near", near.has(node.dataset.id));
    svg.classList.toggle("lit", near.size > 1);
  };
  svg.addEventListener("pointerover", light);
  svg.addEventListener("focusin", light);
  svg.addEventListener("focusout", () => svg.classList.remove("lit"));
}
document.querySelectorAll("svg.graph").forEach(showGraph);
`;
