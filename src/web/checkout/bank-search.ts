/** Turns each list of banks into a searchable field. The list stays in the form and holds the chosen bank. */
export function searchBanks(part: ParentNode): void {
  for (const select of part.querySelectorAll<HTMLSelectElement>('select[data-search]')) new BankSearch(select)
}

/** The payer's last input device, and whether a finger or a button is still down. */
let pointer: 'keyboard' | 'down' | 'up' = 'keyboard'
for (const [event, now] of [
  ['keydown', 'keyboard'],
  ['pointerdown', 'down'],
  ['pointerup', 'up'],
  ['pointercancel', 'up'],
] as const)
  addEventListener(
    event,
    () => {
      pointer = now
    },
    { capture: true },
  )

class BankSearch {
  readonly #select: HTMLSelectElement
  readonly #input = document.createElement('input')
  readonly #list = document.createElement('ul')
  readonly #count = document.createElement('p')
  #active = -1

  constructor(select: HTMLSelectElement) {
    this.#select = select
    const { id } = select
    select.id = `${id}-list`
    const box = document.createElement('div')
    box.className = 'search'
    this.#prepareInput(id)
    this.#list.id = `${id}-options`
    this.#list.setAttribute('role', 'listbox')
    this.#list.setAttribute('aria-label', select.dataset.search ?? '')
    this.#list.hidden = true
    // Otherwise a scrollable list is one more stop for the Tab key.
    this.#list.tabIndex = -1
    this.#count.className = 'unseen'
    this.#count.setAttribute('role', 'status')
    select.after(box)
    box.append(this.#input, this.#list, this.#count)
    select.hidden = true
    this.#listen(box)
    // What was typed before this part of the page was replaced.
    if (select.dataset.typed && select.value === '') this.#input.value = select.dataset.typed
  }

  #prepareInput(id: string): void {
    const input = this.#input
    const chosen = this.#select.selectedOptions[0]
    input.type = 'text'
    input.id = id
    input.autocomplete = 'off'
    input.spellcheck = false
    input.placeholder = this.#select.dataset.search ?? ''
    input.value = chosen?.value ? chosen.text : ''
    const attributes = {
      role: 'combobox',
      'aria-autocomplete': 'list',
      'aria-expanded': 'false',
      'aria-controls': `${id}-options`,
    }
    for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value)
    for (const name of ['aria-invalid', 'aria-describedby', 'autofocus']) {
      const value = this.#select.getAttribute(name)
      if (value !== null) input.setAttribute(name, value)
    }
    if (this.#select.required) input.setAttribute('aria-required', 'true')
    if (this.#select.autofocus) queueMicrotask(() => input.focus())
  }

  #listen(box: HTMLElement): void {
    const input = this.#input
    input.addEventListener('input', () => {
      this.#select.value = ''
      this.#select.dataset.typed = input.value
      this.#open(input.value)
    })
    input.addEventListener('click', () => this.#openAgain())
    input.addEventListener('keydown', event => this.#onKey(event))
    const leave = () => {
      if (box.contains(document.activeElement)) return
      this.#close()
      this.#settle()
    }
    box.addEventListener('focusout', ({ relatedTarget }) => {
      if (relatedTarget instanceof Node && box.contains(relatedTarget)) return
      if (pointer === 'keyboard') leave()
      // When the list closes, the elements below it move, and would move away from the finger before the tap ends.
      else if (pointer === 'down') addEventListener('pointerup', () => setTimeout(leave), { once: true })
      else setTimeout(leave)
    })
    this.#select.form?.addEventListener('submit', event => {
      if (this.#settle()) return
      event.preventDefault()
      input.focus()
      this.#openAgain()
    })
    // A press on an option must not take the focus from the field.
    this.#list.addEventListener('pointerdown', event => event.preventDefault())
    this.#list.addEventListener('click', ({ target }) => {
      const option = target instanceof Element ? target.closest<HTMLElement>('[role=option]') : null
      if (option?.dataset.value !== undefined) this.#choose(option.dataset.value)
    })
  }

  #onKey(event: KeyboardEvent): void {
    const isOpen = !this.#list.hidden
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp':
        event.preventDefault()
        if (isOpen) this.#move(event.key === 'ArrowDown' ? 1 : -1)
        else this.#openAgain()
        break
      case 'Enter': {
        const option = this.#options()[this.#active]
        if (!isOpen || option?.dataset.value === undefined) return
        event.preventDefault()
        this.#choose(option.dataset.value)
        break
      }
      case 'Escape':
        if (isOpen) event.preventDefault()
        this.#close()
        break
    }
  }

  readonly #options = () => [...this.#list.querySelectorAll<HTMLElement>('[role=option]')]

  readonly #find = (typed: string) =>
    findBanks(
      typed,
      [...this.#select.options]
        .filter(({ value }) => value !== '')
        .map(option => ({
          option,
          names: [...option.text.split(' · '), ...(option.dataset.also ?? '').split('\n')],
        })),
    )

  /** Shows all banks if one is chosen, or if none matches: the payer may want another one. */
  #openAgain(): void {
    const typed = this.#input.value
    this.#open(this.#select.value !== '' || this.#find(typed).banks.length === 0 ? '' : typed)
  }

  #open(typed: string): void {
    const banks = this.#find(typed).banks.map(({ option }) => option)
    this.#list.replaceChildren(...banks.map((bank, at) => this.#optionFor(bank, at)))
    this.#list.hidden = banks.length === 0
    this.#input.setAttribute('aria-expanded', String(banks.length > 0))
    const { none = '', found = '' } = this.#select.dataset
    this.#count.textContent = banks.length === 0 ? none : `${banks.length} ${found}`
    this.#count.className = banks.length === 0 ? 'none-found' : 'unseen'
    this.#active = -1
    this.#input.removeAttribute('aria-activedescendant')
    if (typed.trim() !== '' && banks.length > 0) this.#move(1)
  }

  #optionFor({ value, text }: HTMLOptionElement, at: number): HTMLElement {
    const option = document.createElement('li')
    option.id = `${this.#list.id}-${at}`
    option.setAttribute('role', 'option')
    option.setAttribute('aria-selected', String(value === this.#select.value))
    option.dataset.value = value
    option.textContent = text
    return option
  }

  #move(by: number): void {
    const options = this.#options()
    if (options.length === 0) return
    this.#active = (this.#active + by + options.length) % options.length
    for (const [at, option] of options.entries()) option.classList.toggle('active', at === this.#active)
    const active = options[this.#active]
    if (!active) return
    this.#input.setAttribute('aria-activedescendant', active.id)
    active.scrollIntoView({ block: 'nearest' })
  }

  #choose(value: string): void {
    this.#select.value = value
    this.#input.value = this.#select.selectedOptions[0]?.text ?? ''
    this.#say('')
    this.#close()
  }

  #close(): void {
    this.#list.hidden = true
    this.#input.setAttribute('aria-expanded', 'false')
    this.#input.removeAttribute('aria-activedescendant')
    this.#count.className = 'unseen'
  }

  /** Never drops typed text silently: takes the only matching bank, or explains what is wrong. */
  #settle(): boolean {
    const { value, dataset, required } = this.#select
    const typed = this.#input.value
    if (value !== '') return true
    if (typed.trim() === '') {
      if (!required) this.#say('')
      return true
    }
    const { banks, only } = this.#find(typed)
    if (only) this.#choose(only.option.value)
    else this.#say((banks.length === 0 ? dataset.none : dataset.several) ?? '')
    return only !== undefined
  }

  /** Uses the same place as the messages of the server. */
  #say(message: string): void {
    const field = this.#input.closest('.field')
    const previous = field?.querySelector('.problem')
    if (message === '') {
      previous?.remove()
      this.#input.removeAttribute('aria-invalid')
      this.#input.removeAttribute('aria-describedby')
      return
    }
    const shown = previous ?? document.createElement('p')
    shown.className = 'problem'
    shown.id = `${this.#input.id}-problem`
    shown.textContent = message
    field?.append(shown)
    this.#input.setAttribute('aria-invalid', 'true')
    this.#input.setAttribute('aria-describedby', shown.id)
  }
}

/** All names of a bank. */
interface Named {
  readonly names: readonly string[]
}

interface BankMatches<B> {
  /** The best match first. */
  readonly banks: readonly B[]
  /** The only possible match: its name is exactly the typed text, or no other bank matches. */
  readonly only: B | undefined
}

/** Every typed word must be in a bank's names, in any script. Codes and short names come first. */
function findBanks<B extends Named>(typed: string, banks: readonly B[]): BankMatches<B> {
  const words = plain(typed).split(' ').filter(Boolean)
  if (words.length === 0) return { banks, only: undefined }
  const whole = words.join('')
  const exact: B[] = []
  const begins: B[] = []
  const holds: B[] = []
  for (const bank of banks) {
    const names = bank.names.map(plain)
    const unparted = names.map(name => name.replaceAll(' ', ''))
    if (unparted.includes(whole)) exact.push(bank)
    else if (unparted.some(name => name.startsWith(whole))) begins.push(bank)
    else if (
      unparted.some(name => name.includes(whole)) ||
      words.every(word => names.some(name => name.includes(word)))
    )
      holds.push(bank)
  }
  const found = [...exact, ...begins, ...holds]
  const best = exact.length > 0 ? exact : found
  return { banks: found, only: best.length === 1 ? best[0] : undefined }
}

/** Without case, accents and Thai tone marks, and with a space for every other character. */
const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u0e47-\u0e4e]/g, '')
    .toLowerCase()
    .replaceAll('đ', 'd')
    // An abbreviation may be typed with or without dots.
    .replace(/[.'’]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()
