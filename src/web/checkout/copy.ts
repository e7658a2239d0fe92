const SHOWN_MS = 2000

export function showCopyButtons(part: ParentNode): void {
  for (const button of part.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.hidden = false
    button.addEventListener('click', () => void copy(button))
  }
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const { copy: text = '', copied = '' } = button.dataset
  // There is no clipboard API if the page came over plain HTTP from another machine.
  const isCopied = await (navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  ) ?? false)
  const value = button.parentElement?.querySelector('.value')
  if (!isCopied && value) {
    getSelection()?.selectAllChildren(value)
    return
  }
  const before = button.textContent
  button.textContent = copied
  button.classList.add('done')
  announce(copied)
  setTimeout(() => {
    button.textContent = before
    button.classList.remove('done')
  }, SHOWN_MS)
}

/** Announces the result to screen readers. */
export function announce(text: string): void {
  const announcer = document.querySelector('[data-announcer]')
  if (announcer) announcer.textContent = text
}
