/** Sends a form only once, however often its button is pressed, and shows that it is in progress. */
export function holdSentForms(part: ParentNode): void {
  for (const form of part.querySelectorAll<HTMLFormElement>('form[data-form]')) {
    let isSent = false
    form.addEventListener('submit', event => {
      if (event.defaultPrevented) return
      if (isSent) {
        event.preventDefault()
        return
      }
      isSent = true
      const button = event.submitter
      if (!(button instanceof HTMLButtonElement)) return
      button.setAttribute('aria-busy', 'true')
      // A disabled button would not be part of the form, so it only looks disabled.
      button.setAttribute('aria-disabled', 'true')
      if (button.dataset.busy) button.textContent = button.dataset.busy
    })
  }
}
