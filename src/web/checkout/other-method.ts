/** Goes back to the list of methods. Without a script the page reloads; with one, the method is only folded up. */
export function foldMethods(part: ParentNode): void {
  for (const link of part.querySelectorAll<HTMLAnchorElement>('a[data-fold]')) {
    link.addEventListener('click', event => {
      const method = link.closest('details')
      if (!method) return
      event.preventDefault()
      method.open = false
      method.querySelector('summary')?.focus()
    })
  }
}
