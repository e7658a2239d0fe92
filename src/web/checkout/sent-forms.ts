/** A form is sent once, however often its button is pressed, and says that it is on its way. */
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
      // A button that is disabled would not be sent, so it only looks it.
      button.setAttribute('aria-disabled', 'true')
      if (button.dataset.busy) button.textContent = button.dataset.busy
    })
  }
}
