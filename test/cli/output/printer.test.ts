import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { guard } from '../../../src/cli/output/door.ts'
import type { Format, OutputFlags } from '../../../src/cli/output/formats.ts'
import { openPrinter } from '../../../src/cli/output/printer.ts'
import { QueryError } from '../../../src/cli/output/query.ts'
import type { ListView, View } from '../../../src/cli/output/view.ts'
import { MemoryStream } from '../../support/cli/memory-stream.ts'

interface Row {
  readonly id: string
  readonly note?: string | null
}
interface List {
  readonly data: readonly Row[]
}

const listView: ListView<List> = {
  human: ({ data }) => `${data.length} rows`,
  rows: ({ data }) => data,
  table: { columns: [{ header: 'ID', value: row => (row as Row).id }], empty: 'no rows' },
}
const recordView: View<Row> = { human: ({ id }) => `the ${id}`, mayLack: ['note'] }

const list: List = { data: [{ id: 'a', note: 'x\u2028y' }, { id: 'b' }] }

async function shown<T>(flags: OutputFlags, view: View<T>, body: T, text?: string): Promise<string> {
  const stream = new MemoryStream()
  await openPrinter(flags, stream).show(text === undefined ? { body } : { body, text }, view)
  return stream.text
}

async function streamed(flags: OutputFlags, pages: readonly List[]): Promise<string> {
  const stream = new MemoryStream()
  const { page, end } = openPrinter(flags, stream).stream(listView)
  for (const one of pages) await page(one)
  await end()
  return stream.text
}

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

describe('one answer', () => {
  test('json is the text as received, including blanks', async () => {
    const text = '{ "id":"a",\n"big": 12345678901234567890 }'
    expect(await shown({ output: 'json' }, recordView, JSON.parse(text), text)).toBe(`${text}\n`)
    expect(await shown({ output: 'json' }, recordView, JSON.parse(text), `${text}\n`)).toBe(`${text}\n`)
  })

  test('json without a text is indented', async () => {
    expect(await shown({ output: 'json' }, recordView, { id: 'a' })).toBe('{\n  "id": "a"\n}\n')
  })

  test('jsonl has one line per row, whatever the row contains', async () => {
    const text = await shown({ output: 'jsonl' }, listView, list)
    expect(text).toBe('{"id":"a","note":"x\\u2028y"}\n{"id":"b"}\n')
    expect(await shown({ output: 'jsonl' }, recordView, { id: 'a' })).toBe('{"id":"a"}\n')
  })

  test('yaml has the same data for readers of YAML 1.1 and 1.2', async () => {
    const body = { id: 'NO', note: '12345' }
    const text = await shown({ output: 'yaml' }, recordView, body)
    expect(parseYaml(text)).toEqual(body)
    expect(parseYaml(text, { version: '1.1' })).toEqual(body)
  })

  test('csv has one row per record', async () => {
    expect(await shown({ output: 'csv' }, listView, list)).toBe('id,note\r\na,x\u2028y\r\nb,\r\n')
    expect(await shown({ output: 'csv' }, recordView, { id: 'a' })).toBe('id\r\na\r\n')
  })

  test('an answer without a body prints nothing', async () => {
    for (const output of ['json', 'jsonl', 'yaml', 'csv'] as const)
      expect(await shown<unknown>({ output }, { human: () => '' }, undefined, '')).toBe('')
  })
})

describe('--query', () => {
  const cases: [Format, path: string, expected: string][] = [
    ['human', 'data[0].id', 'a\n'],
    ['human', 'data[].id', 'a\nb\n'],
    ['human', 'data[1]', '{\n  "id": "b"\n}\n'],
    ['json', 'data[0].id', '"a"\n'],
    ['json', 'data[].id', '[\n  "a",\n  "b"\n]\n'],
    ['json', 'data[].none[]', '[]\n'],
    ['yaml', 'data[].id', '- a\n- b\n'],
    // A line or a row is a record: there the path starts.
    ['jsonl', 'id', '"a"\n"b"\n'],
    ['csv', 'id', 'id\r\na\r\nb\r\n'],
  ]
  test.each(cases)('-o %s --query %s', async (output, query, expected) => {
    const body = { data: list.data.map(row => ({ ...row, none: null })) }
    const text = await shown({ output, query }, listView, query === 'data[1]' ? list : body, 'unused')
    expect(text).toBe(expected)
  })

  test('refuses an invalid path before any call', () => {
    expect(() => openPrinter({ query: 'a[' })).toThrow(QueryError)
  })

  test('a path that leads nowhere prints nothing, and the error names the record', async () => {
    const stream = new MemoryStream()
    const show = openPrinter({ query: 'di' }, stream).show({ body: { id: 'pi_1' } }, recordView)
    await expect(show).rejects.toThrow(/^pi_1: there is no di here \(did you mean id\?\): it has id\n/)
    expect(stream.text).toBe('')
  })

  test('a path from the body explains where it starts for a list', async () => {
    await expect(shown({ output: 'jsonl', query: 'data[].id' }, listView, list)).rejects.toThrow(
      'the path starts at each record of the list',
    )
  })

  test('an optional member that is missing is null', async () => {
    expect(await shown({ query: 'note' }, recordView, { id: 'a' })).toBe('null\n')
  })
})

describe('page by page', () => {
  const pages = [list, { data: [] }, { data: [{ id: 'cc' }] }]

  test('human: the header once, and columns as wide as on the first page', async () => {
    expect(await streamed({}, pages)).toBe('ID\na\nb\ncc\n')
    expect(await streamed({}, [{ data: [] }])).toBe('no rows\n')
  })

  test('json: one array', async () => {
    expect(JSON.parse(await streamed({ output: 'json' }, pages))).toEqual([...list.data, { id: 'cc' }])
    expect(await streamed({ output: 'json' }, [])).toBe('[]\n')
  })

  test('jsonl: one line per row', async () => {
    expect((await streamed({ output: 'jsonl' }, pages)).split('\n')).toHaveLength(4)
  })

  test('yaml: one list', async () => {
    expect(parseYaml(await streamed({ output: 'yaml' }, pages))).toEqual([...list.data, { id: 'cc' }])
    expect(parseYaml(await streamed({ output: 'yaml' }, []))).toEqual([])
  })

  test('csv: the header once', async () => {
    expect(await streamed({ output: 'csv' }, pages)).toBe('id,note\r\na,x\u2028y\r\nb,\r\ncc,\r\n')
  })

  test('--query: starts at each record, and a later one may lack what the first had', async () => {
    expect(await streamed({ query: 'note' }, pages)).toBe('x\u2028y\nnull\nnull\n')
    await expect(streamed({ query: 'nope' }, pages)).rejects.toThrow(QueryError)
  })

  test('a page waits until the one before it is written', async () => {
    let release = () => {}
    const stream = new MemoryStream({
      take: (_, done) => {
        release = () => done()
      },
    })
    const { page } = openPrinter({ output: 'jsonl' }, stream).stream(listView)
    const done = vi.fn()
    const first = page(list).then(done)
    await setImmediate()
    expect(done).not.toHaveBeenCalled()
    release()
    await first
    expect(done).toHaveBeenCalled()
  })
})

describe('on a terminal', () => {
  const evil = { id: '\u001b[2J\u009b31m\u202e' }

  test.each(['json', 'jsonl', 'yaml', 'csv', 'human'] as const)('-o %s escapes controls', async output => {
    const stream = new MemoryStream({ isTTY: true })
    guard(stream.out)
    await openPrinter({ output, query: '.' }, stream).show({ body: evil }, recordView)
    expect(stream.text.replaceAll(/\r?\n/g, '')).not.toMatch(/[\p{Cc}\u202e]/u)
    expect(stream.text).toMatch(/\\(u001b|e)/)
  })

  test('json still has the same data', async () => {
    const stream = new MemoryStream({ isTTY: true })
    guard(stream.out)
    const text = `{"id":"\u009b31m\u202e"}`
    await openPrinter({ output: 'json' }, stream).show({ body: JSON.parse(text), text }, recordView)
    expect(stream.text).not.toContain('\u009b')
    expect(JSON.parse(stream.text)).toEqual(JSON.parse(text))
  })

  test('in a pipe, prints exactly the requested data', async () => {
    expect(await shown({ query: 'id' }, recordView, evil)).toBe(`${evil.id}\n`)
  })
})
