() => {
  const line = (text) => (text ?? "").replace(/\s+/g, " ").trim();
  const fold = (text) => line(text).toLowerCase();
  const short = (text) => (text.length > 80 ? text.slice(0, 80) + "…" : text);

  // all gives the elements of the document and of open shadow trees, in their order.
  const all = (root = document, found = []) => {
    for (const element of root.querySelectorAll("*")) {
      found.push(element);
      if (element.shadowRoot) all(element.shadowRoot, found);
    }
    return found;
  };

  const visible = (element) => {
    if (!element.checkVisibility({ visibilityProperty: true })) return false;
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0;
  };

  const buttonTypes = ["submit", "button", "reset", "image"];
  const checkTypes = ["checkbox", "radio"];
  const roles = ["button", "link", "tab", "menuitem", "checkbox", "radio", "switch", "option", "menuitemcheckbox", "menuitemradio"];
  const setTypes = ["date", "time", "month", "week", "datetime-local", "color", "range"];

  const kind = (element) => {
    const role = element.getAttribute("role");
    switch (element.localName) {
      case "a":
        return element.hasAttribute("href") ? "link" : roles.includes(role) ? role : "";
      case "button":
      case "summary":
        return "button";
      case "select":
        return "choice";
      case "textarea":
        return "field";
      case "input":
        if (element.type === "hidden" || element.type === "file") return "";
        if (buttonTypes.includes(element.type)) return "button";
        return checkTypes.includes(element.type) ? element.type : "field";
    }
    if (roles.includes(role)) return role;
    if (element.isContentEditable && !element.parentElement?.isContentEditable) return "field";
    return element.hasAttribute("onclick") ? "button" : "";
  };

  const labels = (element) => {
    const by = element.getAttribute("aria-labelledby");
    if (by) return by.split(/\s+/).map((id) => element.getRootNode().getElementById?.(id)?.innerText ?? "");
    return [...(element.labels ?? [])].map((label) => label.innerText);
  };

  const name = (element) => {
    const own = kind(element) === "field" || kind(element) === "choice" ? "" : element.innerText;
    const button = element.localName === "input" && buttonTypes.includes(element.type) ? element.value : "";
    const picture = element.querySelector?.("img[alt]")?.alt;
    return line(
      element.getAttribute("aria-label") || labels(element).join(" ") || button || own || picture || element.getAttribute("alt") ||
        element.getAttribute("placeholder") || element.getAttribute("title") || element.getAttribute("name") || element.id,
    );
  };

  const describe = (element) => `<${element.localName}>` + (name(element) ? ` ${JSON.stringify(short(name(element)))}` : "");

  // choose finds the one element that is meant, or says why there is none.
  const choose = ({ selector, text, index }, fits) => {
    let candidates;
    let others = [];
    if (selector) {
      try {
        candidates = [...document.querySelectorAll(selector)];
      } catch {
        return { fault: `the selector ${JSON.stringify(selector)} is no CSS selector` };
      }
      if (candidates.length && !candidates.some(visible)) return { fault: `what the selector ${JSON.stringify(selector)} finds is not visible` };
      candidates = candidates.filter(visible);
    } else {
      const wanted = fold(text);
      const offered = all().filter((element) => fits(element) && visible(element));
      const named = offered.map((element) => [element, fold(name(element))]);
      candidates = named.filter(([, name]) => name === wanted).map(([element]) => element);
      if (!candidates.length) candidates = named.filter(([, name]) => name.includes(wanted)).map(([element]) => element);
      candidates = candidates.filter((element) => !candidates.some((other) => other !== element && other.contains(element)));
      others = offered.map((element) => short(name(element))).filter((name) => name);
    }
    if (index && index > candidates.length) return { fault: `there are ${candidates.length} such elements, not ${index}` };
    if (index) return { element: candidates[index - 1] };
    if (candidates.length === 1) return { element: candidates[0] };
    const meant = selector ? `the selector ${JSON.stringify(selector)}` : JSON.stringify(text);
    if (candidates.length > 1) {
      return { fault: `${meant} fits ${candidates.length} elements (${candidates.slice(0, 8).map(describe).join(", ")}): say which by index, from 1` };
    }
    const hint = others.length ? `; there are ${[...new Set(others)].slice(0, 20).map((one) => JSON.stringify(one)).join(", ")}` : "";
    return { fault: `nothing visible fits ${meant}${hint}` };
  };

  // aim brings an element into view and gives the point to click.
  const aim = (element) => {
    element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const box = [...element.getClientRects()].find((rect) => rect.width > 0 && rect.height > 0) ?? element.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    let hit = document.elementFromPoint(x, y);
    while (hit?.shadowRoot?.elementFromPoint(x, y) && hit.shadowRoot.elementFromPoint(x, y) !== hit) hit = hit.shadowRoot.elementFromPoint(x, y);
    const within = (inner, outer) => {
      for (let at = inner; at; at = at.parentNode ?? at.host) if (at === outer) return true;
      return false;
    };
    if (!hit || within(hit, element) || within(element, hit) || [...(hit.labels ?? hit.closest?.("label")?.control?.labels ?? [])].length) {
      return { x, y };
    }
    return { fault: `${describe(element)} is covered by ${describe(hit)}` };
  };

  const off = (element) => element.disabled || element.getAttribute("aria-disabled") === "true";

  return {
    state: () => document.readyState,

    click(wanted) {
      const { element, fault } = choose(wanted, (one) => kind(one) !== "");
      if (fault) return { fault };
      if (off(element)) return { fault: `${describe(element)} is disabled` };
      element.closest("a[target], form[target]")?.removeAttribute("target"); // there is one page
      return { ...aim(element), name: name(element) };
    },

    // fill makes a field ready for text, or sets it where text cannot be typed.
    fill(wanted) {
      const { element, fault } = choose(wanted, (one) => ["field", "choice"].includes(kind(one)));
      if (fault) return { fault };
      const told = () => {
        element.dispatchEvent(new Event("input", { bubbles: true }));
        element.dispatchEvent(new Event("change", { bubbles: true }));
        return { name: name(element), done: true };
      };
      if (!["field", "choice"].includes(kind(element))) return { fault: `${describe(element)} takes no text` };
      if (off(element) || element.readOnly) return { fault: `${describe(element)} cannot be changed` };
      element.closest("form[target]")?.removeAttribute("target");
      element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      element.focus();
      if (element.localName === "select") {
        const options = [...element.options];
        const option = options.find((one) => fold(one.text) === fold(wanted.value)) ?? options.find((one) => one.value === wanted.value);
        if (!option) return { fault: `${describe(element)} offers ${options.map((one) => JSON.stringify(short(line(one.text)))).join(", ")}` };
        element.value = option.value;
        return told();
      }
      if (element.localName === "input" && setTypes.includes(element.type)) {
        element.value = wanted.value;
        if (element.value !== wanted.value) return { fault: `${describe(element)} is a ${element.type} and does not take ${JSON.stringify(wanted.value)}` };
        return told();
      }
      if (element.select) element.select();
      else getSelection().selectAllChildren(element);
      return { name: name(element), done: false };
    },

    read({ selector, offset, most, controls }) {
      let root = document.body ?? document.documentElement;
      if (selector) {
        try {
          root = document.querySelector(selector);
        } catch {
          return { fault: `the selector ${JSON.stringify(selector)} is no CSS selector` };
        }
        if (!root) return { fault: `nothing fits the selector ${JSON.stringify(selector)}` };
      }
      const characters = [...(root.innerText ?? root.textContent ?? "").replace(/\n{3,}/g, "\n\n").trim()];
      const value = (element) => {
        if (checkTypes.includes(element.type)) return element.checked ? " (checked)" : "";
        if (element.type === "password") return element.value ? " (filled)" : "";
        const text = element.localName === "select" ? (element.selectedOptions[0]?.text ?? "") : kind(element) === "field" ? (element.value ?? element.innerText) : "";
        return text ? ` = ${JSON.stringify(short(line(text)))}` : "";
      };
      const offered = all(root === document.body ? document : root).filter((element) => kind(element) && visible(element));
      return {
        text: characters.slice(offset, offset + most).join(""),
        total: characters.length,
        controls: offered.slice(0, controls).map((element) => {
          const link = kind(element) === "link" ? ` → ${element.href.length > 200 ? element.href.slice(0, 200) + "…" : element.href}` : "";
          return `${kind(element)} ${JSON.stringify(short(name(element)))}${value(element)}${off(element) ? " (disabled)" : ""}${link}`;
        }),
        more: Math.max(0, offered.length - controls),
        frames: [...document.querySelectorAll("iframe, frame")].filter(visible).length,
      };
    },

    size: () => ({ width: document.documentElement.scrollWidth, height: Math.max(document.documentElement.scrollHeight, document.body?.scrollHeight ?? 0) }),
  };
}
