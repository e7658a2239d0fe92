import { searchBanks } from './bank-search.ts'
import { countDown } from './clock.ts'
import { announce, followPage } from './live.ts'

/** The scripts only improve the page. They run again for each part that is replaced. */
function enhance(part: ParentNode): void {
  showCopyButtons(part)
  searchBanks(part)
  foldMethods(part)
  previewReceipt(part)
  holdSentForms(part)
  forgetMended(part)
}

enhance(document)
const look = followPage(enhance)
countDown(look)

// A page from the back-forward cache may be outdated.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})

/** Goes back to the list of methods. Without a script the page reloads; with one, the method is only folded up. */
function foldMethods(part: ParentNode): void {
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

/** A refused field is marked until something is in it that may be right. The search of banks does so too. */
function forgetMended(part: ParentNode): void {
  for (const field of part.querySelectorAll<HTMLInputElement>('input[data-most]')) {
    let message = ''
    field.addEventListener('input', () => {
      const problem = document.getElementById(field.getAttribute('aria-describedby') ?? '')
      if (!problem) return
      message ||= problem.textContent ?? ''
      const isWrong = field.value.trim() === '' || [...field.value].length > Number(field.dataset.most)
      if (isWrong) field.setAttribute('aria-invalid', 'true')
      else field.removeAttribute('aria-invalid')
      problem.textContent = isWrong ? message : ''
    })
  }
}

/** Sends a form only once, however often its button is pressed, and shows that it is in progress. */
function holdSentForms(part: ParentNode): void {
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

/** Checks the file before it is sent, so that the payer sees at once what the server would refuse. */
function previewReceipt(part: ParentNode): void {
  const input = part.querySelector<HTMLInputElement>('#receipt-file')
  const form = input?.form
  if (!input || !form) return
  const preview = form.querySelector<HTMLImageElement>('[data-preview]')
  const problem = form.querySelector<HTMLElement>('[data-problem]')
  const name = form.querySelector<HTMLElement>('[data-file-name]')
  const unnamed = name?.textContent ?? ''
  // From here on, the label shows the name and the preview of the chosen file.
  form.querySelector('[data-upload]')?.classList.add('dropping')

  const say = (message: string) => {
    if (problem) problem.textContent = message
    if (message === '') input.removeAttribute('aria-invalid')
    else input.setAttribute('aria-invalid', 'true')
  }
  const show = (file: File | undefined) => {
    if (!preview) return
    if (preview.src) URL.revokeObjectURL(preview.src)
    preview.hidden = file === undefined
    if (file) preview.src = URL.createObjectURL(file)
    else preview.removeAttribute('src')
  }

  let message = ''
  input.addEventListener('change', async () => {
    const file = input.files?.[0]
    message = file ? await problemOf(file, input) : ''
    say(message)
    if (name) name.textContent = file?.name ?? unnamed
    show(file && message === '' ? file : undefined)
  })
  form.addEventListener('submit', event => {
    const wrong = input.files?.length ? message : (input.dataset.missing ?? '')
    if (wrong === '') return
    event.preventDefault()
    say(wrong)
    input.focus()
  })
}

const SIGNATURES = [
  [0xff, 0xd8, 0xff],
  [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
]

/** The same rules as on the server: the size, and the first bytes instead of the name. */
async function problemOf(file: File, { dataset }: HTMLInputElement): Promise<string> {
  if (file.size > Number(dataset.most)) return dataset.tooLarge ?? ''
  const head = new Uint8Array(await file.slice(0, 8).arrayBuffer())
  const isImage = SIGNATURES.some(signature => signature.every((byte, at) => head[at] === byte))
  return isImage ? '' : (dataset.wrongType ?? '')
}

const COPIED_MS = 2000

function showCopyButtons(part: ParentNode): void {
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
  }, COPIED_MS)
}
