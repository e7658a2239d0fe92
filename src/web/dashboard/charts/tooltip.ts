/** A tooltip as elements: text stays text, and looks come from the style sheet. */
export function tooltip(
  title: string,
  rows: readonly (readonly [name: string, value: string])[],
): HTMLElement {
  const box = element('div', 'chart-tip')
  box.append(element('strong', '', title))
  for (const [name, value] of rows) {
    const row = element('div', 'chart-tip-row')
    row.append(element('span', '', name), element('b', '', value))
    box.append(row)
  }
  return box
}

function element(tag: string, className: string, text = ''): HTMLElement {
  const made = document.createElement(tag)
  made.className = className
  made.textContent = text
  return made
}

/** What every tooltip has in common: the library's own look is switched off. */
export const TOOLTIP = {
  className: 'chart-tooltip',
  backgroundColor: 'transparent',
  borderWidth: 0,
  padding: 0,
  confine: true,
  extraCssText: 'box-shadow:none',
  transitionDuration: 0,
}
