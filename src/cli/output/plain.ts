/** Any value as a text: what is no text as JSON has it, and what is not there as nothing. */
export function plain(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What stands below a record at these names, whatever the record turns out to be. */
export function memberAt(value: unknown, ...names: readonly string[]): unknown {
  let member = value
  for (const name of names) {
    if (typeof member !== 'object' || member === null || !Object.hasOwn(member, name)) return undefined
    member = (member as Record<string, unknown>)[name]
  }
  return member
}

export function listAt(value: unknown, ...names: readonly string[]): readonly unknown[] | undefined {
  const member = memberAt(value, ...names)
  return Array.isArray(member) ? member : undefined
}
