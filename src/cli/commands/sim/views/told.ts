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
export function told(members: object): string {
  const all = Object.entries(members).filter(([, member]) => member !== undefined && member !== null)
  return all.map(([name, member]) => `${name}: ${short(member)}`).join(', ')
}

/** What YAML would read as something else than this text is put in quotes. */
const bare = (text: string) =>
  /^[A-Za-z_/.][\w ./()@%+-]*$/.test(text) &&
  !/^(?:true|false|null|yes|no|on|off|~)$/i.test(text) &&
  !text.endsWith(' ')
    ? text
    : /^\d+(?:ms|s|m|h|d)(?:\d+(?:ms|s|m|h|d))*$/.test(text)
      ? text
      : JSON.stringify(text)
