/** A value in the short form of YAML, on one line: `{ kind: payment, amount: { gte: "100000" } }`. */
export function inlineYaml(value: unknown): string {
  if (typeof value === 'string') return quotedIfNeeded(value)
  if (Array.isArray(value)) return `[${value.map(inlineYaml).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const inner = Object.entries(value).map(
      ([name, member]) => `${quotedIfNeeded(name)}: ${inlineYaml(member)}`,
    )
    return inner.length === 0 ? '{}' : `{ ${inner.join(', ')} }`
  }
  return String(value)
}

/** Members of an object without its braces: `from: pending, code: "declined"`. */
export function inlineYamlMembers(members: object): string {
  const present = Object.entries(members).filter(([, member]) => member !== undefined && member !== null)
  return present.map(([name, member]) => `${name}: ${inlineYaml(member)}`).join(', ')
}

/** Quotes a text that YAML would read as something else. */
function quotedIfNeeded(text: string): string {
  if (DURATION.test(text)) return text
  return WORDS.test(text) && !KEYWORDS.test(text) ? text : JSON.stringify(text)
}

const WORDS = /^[A-Za-z_/](?:[\w ./()@%+-]*[\w./()@%+-])?$/
const KEYWORDS = /^(?:true|false|null|yes|no|on|off)$/i
const DURATION = /^(?:\d+(?:ms|s|m|h|d))+$/
