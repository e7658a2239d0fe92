import { StringDecoder } from 'node:string_decoder'
import type { ChalkInstance } from 'chalk'
import { visibleLines } from './text.ts'

/**
 * The door to the screen: everything that is written to stdout or stderr passes `openDoor`, which lets no byte from
 * elsewhere steer a terminal, and shows no secret key. Our own styles are exempt. They are not recognised by what they
 * look like, since others can write the same: they carry a number that was drawn at the start and that nobody else knows.
 */
// Not drawn by node:crypto, which a start would have to load: nobody sees the number, so nobody can learn it.
const OURS = Array.from({ length: 3 }, () => String(1000 + Math.floor(Math.random() * 9000))).join(';')
const MARK = `\x1b[${OURS};`
const MARKED = new RegExp(String.raw`\x1b\[${OURS};([\d;]*[mK])`)

/** Erases what a line shows, for a line that is drawn again. */
export const CLEAR_LINE = `\r${MARK}K`

const marked = (painted: string) => painted.replaceAll('\x1b[', MARK)

/** The same paint, whose styles pass the door. What it is given is cleaned first, so that nothing else gets the mark. */
export function ownPaint(paint: ChalkInstance): ChalkInstance {
  if (paint.level === 0) return paint
  // Not around the paint itself, because its styles, once read, may not be replaced.
  return new Proxy((() => '') as unknown as ChalkInstance, {
    apply: (_, self, texts: readonly unknown[]) => {
      const clean = texts.map(text => cleaned(String(text)))
      return marked(String(Reflect.apply(paint, self, clean)))
    },
    get(_, name) {
      const value: unknown = Reflect.get(paint, name, paint)
      return isPaint(value) ? ownPaint(value) : value
    },
  })
}

const isPaint = (value: unknown): value is ChalkInstance => typeof value === 'function' && 'level' in value

/** Printable ASCII, tabs and line feeds, which most texts are. */
const HARMLESS = /^[\t\n\x20-\x7e]*$/

/** A text for a terminal: what is ours becomes a style, and what others wrote is shown instead of obeyed. */
export function cleaned(text: string): string {
  if (HARMLESS.test(text)) return text
  // Every second part is the end of a mark.
  const parts = text.split(MARKED)
  if (parts.length === 1) return visibleLines(text)
  return parts
    .map((part, at) => {
      if (at % 2 === 1) return `\x1b[${part}`
      // The return before an erased line belongs to it.
      return parts[at + 1] === 'K' && part.endsWith('\r')
        ? `${visibleLines(part.slice(0, -1))}\r`
        : visibleLines(part)
    })
    .join('')
}

/** A text for a file or a program, which gets the bytes of others unchanged. */
const unmarked = (text: string) => text.replaceAll(MARK, '\x1b[')

/** A shorter text would be found by chance in what has nothing to do with it. */
const LEAST_SECRET = 8
const HIDDEN = '***'
let secrets: readonly string[] = []

/** From now on, these keys are shown nowhere: a server may send back what it was sent, in any of its forms. */
export function hideKeys({ publicKey, secretKey }: { publicKey: string; secretKey: string }): void {
  if (secretKey.length < LEAST_SECRET) return
  const inBase64 = [`${publicKey}:${secretKey}`, `:${secretKey}`, secretKey].flatMap(text => {
    const whole = Buffer.from(text).toString('base64')
    return [whole, whole.replace(/=+$/, ''), Buffer.from(text).toString('base64url')]
  })
  const forms = [secretKey, JSON.stringify(secretKey).slice(1, -1), ...inBase64]
  const encoded = forms.flatMap(form => [
    form,
    encodeURIComponent(form),
    encodeURIComponent(form).toLowerCase(),
  ])
  // The longest first: one may be the beginning of another.
  secrets = [...new Set([...secrets, ...encoded])].sort((one, other) => other.length - one.length)
}

const withoutKeys = (text: string) =>
  secrets.reduce((shown, secret) => (shown.includes(secret) ? shown.replaceAll(secret, HIDDEN) : shown), text)

type Write = NodeJS.WriteStream['write']

/** The writes that lead past the door, for what draws on a terminal itself. */
const past = new WeakMap<NodeJS.WriteStream, Write>()
const doors = new WeakSet<Write>()

/**
 * Opens the door, before anything is written. Messages on stderr are always cleaned, since a log is read on a terminal as
 * well; data on stdout only if it goes to a terminal.
 */
export function openDoor(): void {
  secrets = []
  guard(process.stdout)
  guard(process.stderr, () => true)
}

/** @internal */
export function guard(stream: NodeJS.WriteStream, isForPeople = () => stream.isTTY === true): void {
  if (doors.has(stream.write)) return
  const write: Write = stream.write.bind(stream)
  past.set(stream, write)
  const decoder = new StringDecoder()
  const shown = (text: string) => {
    const open = withoutKeys(text)
    return isForPeople() ? cleaned(open) : unmarked(open)
  }
  const door = (chunk: string | Uint8Array, ...rest: readonly never[]): boolean => {
    if (typeof chunk === 'string') return write(shown(chunk), ...rest)
    return write(isForPeople() ? shown(decoder.write(chunk)) : chunk, ...rest)
  }
  doors.add(door)
  stream.write = door
}

/**
 * A terminal for a library that draws on it, such as a spinner or a question, and so writes past the door. What it is given
 * to show must be `cleaned` before.
 */
export function drawnOn(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  const write = past.get(stream)
  return write ? Object.create(stream, { write: { value: write, writable: true } }) : stream
}
