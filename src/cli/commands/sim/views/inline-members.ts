/** A value in the short form of YAML, on one line: `{ kind: payment, amount: { gte: "100000" } }`. */
export function short(value: unknown): string {
  if (typeof value === 'string') return bare(value)
  if (Array.isArray(value)) return `[${value.map(short).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const inner = Object.entries(value).map(([name, member]) => `${bare(name)}: ${short(member)}`)
    return inner.length === 0 ? '{}' : `{ ${inner.join(', ')} }`
  }
  return String(value)
}

/** Members beside each other: `from: pending, code: "declined"`. */
export function inlineMembers(members: object): string {
  const all = Object.entries(members).filter(([, member]) => member !== undefined && member !== null)
  return all.map(([name, member]) => `${name}: ${short(member)}`).join(', ')
}

/** What YAML would read as something else than this text is put in quotes. */
function bare(text: string): string {
  if (DURATION.test(text)) return text
  return WORDS.test(text) && !MEANT_OTHERWISE.test(text) ? text : JSON.stringify(text)
}

const WORDS = /^[A-Za-z_/](?:[\w ./()@%+-]*[\w./()@%+-])?$/
const MEANT_OTHERWISE = /^(?:true|false|null|yes|no|on|off)$/i
const DURATION = /^(?:\d+(?:ms|s|m|h|d))+$/
