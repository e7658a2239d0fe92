import { joined } from './path.ts'

/** The members of a record and of the records within it, each by its path. Lists are members as they are. */
export function flatten(value: unknown): ReadonlyMap<string, unknown> {
  const flat = new Map<string, unknown>()
  gather(value, '', flat)
  return flat
}

function gather(value: unknown, path: string, flat: Map<string, unknown>): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    flat.set(path, value)
    return
  }
  const members = Object.entries(value)
  if (members.length === 0) flat.set(path, null)
  for (const [name, member] of members) gather(member, joined(path, name), flat)
}
