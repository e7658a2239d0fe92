import { anyTable } from '../columns.ts'
import { listAt, plain } from '../members.ts'
import { drawRecord, restFields, sections } from '../record.ts'
import type { Screen } from '../screen.ts'
import { drawTable } from '../table.ts'
import { visibleLines } from '../text.ts'
import type { View } from '../view.ts'

/** Any answer: its lists as tables, the rest as fields. */
export const anyView: View<unknown> = {
  human: drawAny,
  rows: body => (Array.isArray(body) ? body : (listAt(body, 'data') ?? [body])),
}

export function drawAny(body: unknown, screen: Screen): string {
  if (Array.isArray(body)) return drawTable(body, anyTable(body), screen)
  if (typeof body !== 'object' || body === null) return visibleLines(plain(body))
  const lists = Object.entries(body).filter(([, member]) => isTable(member)) as [string, unknown[]][]
  const names = lists.map(([name]) => name)
  const tables = lists.map(([name, list]) => {
    const table = drawTable(list, anyTable(list), screen)
    // The usual list of an answer needs no title.
    return name === 'data' ? table : `${screen.paint.bold(visibleLines(name))}\n${table}`
  })
  return sections(...tables, drawRecord(restFields(body, names), screen))
}

const isTable = (member: unknown) =>
  Array.isArray(member) && member.some(row => typeof row === 'object' && row !== null)
