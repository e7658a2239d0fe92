/** A tooltip made of elements, so that text stays text and the style sheet applies. */
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

/** Common settings of all tooltips, which switch off the library's own style. */
export const TOOLTIP = {
  className: 'chart-tooltip',
  backgroundColor: 'transparent',
  borderWidth: 0,
  padding: 0,
  confine: true,
  extraCssText: 'box-shadow:none',
  transitionDuration: 0,
}
