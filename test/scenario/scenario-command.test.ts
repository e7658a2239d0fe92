import { readFileSync } from 'node:fs'
import { mkdir, readdir, realpath, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { OPERATORS } from '../../src/scenario/expect/match.ts'
import { AnswerSchema } from '../../src/scenario/schema/answers.ts'
import { FileSchema } from '../../src/scenario/schema/file.ts'
import { VERBS } from '../../src/scenario/verbs/index.ts'
import { runBinary } from '../support/gateway/server.ts'
import { GOOD, paysim, workspace } from '../support/scenario/workspace.ts'

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

test('validate names valid files, and reports the problems of others', async () => {
  const { at, folder } = await workspace({ 'good.yaml': GOOD })
  expect(await paysim(['scenario', 'validate', folder])).toMatchObject({
    code: 0,
    stdout: `${at('good.yaml')}: A payment & its <reading>\n`,
  })
  const { at: bad } = await workspace({
    'bad.yaml': 'paysim: 1\nname: x\nprovider:\n  - { outcom: manual }\n',
  })
  expect(await paysim(['scenario', 'validate', at('good.yaml'), bad('bad.yaml')])).toMatchObject({
    code: 2,
    stderr: `${bad('bad.yaml')}:4:7: outcom is not a known key; did you mean outcome?\n`,
  })
})

test('new writes a scenario that runs, and never overwrites a file', async () => {
  const { at } = await workspace()
  expect(await paysim(['scenario', 'new', at('story.yaml')])).toMatchObject({ code: 0 })
  expect(await paysim(['run', at('story.yaml')])).toMatchObject({ code: 0 })
  expect(await paysim(['scenario', 'new', at('story.yaml')])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('already exists'),
  })
})

test('new copies an example that comes with the package, and what it needs', async () => {
  const { at } = await workspace()
  const example = (name: string, file: string) => paysim(['scenario', 'new', '--example', name, at(file)])
  expect(await example('receipt-from-an-asset', 'asset.yaml')).toMatchObject({ code: 0 })
  expect(await paysim(['run', at('asset.yaml')])).toMatchObject({ code: 0 })
  const { code, stdout } = await example('explore', 'shop')
  expect(code).toBe(0)
  expect(stdout).toContain(`--only webhook-twice -- node ${at('shop/wrong-shop.mjs')}`)
  expect(await paysim(['scenario', 'validate', at('shop')])).toMatchObject({ code: 0 })
  expect(readFileSync(at('shop/wrong-shop.mjs'), 'utf8')).toBe(read('scenarios/explore/wrong-shop.mjs'))
  for (const [name, file, told] of [
    ['explore', 'shop', 'already exists'],
    ['bank-transfer', 'asset.yaml', 'already exists'],
    ['bank-trnsfer', 'bank.yaml', 'did you mean bank-transfer?'],
    ['../package', 'bank.yaml', 'there is no example'],
  ] as const)
    expect(await example(name, file)).toMatchObject({ code: 2, stderr: expect.stringContaining(told) })
  expect(await paysim(['scenario', 'new'])).toMatchObject({ code: 2 })
})

test('new creates the folder, and names the schema relative to the file', async () => {
  const { folder, at, read: text } = await workspace()
  const schemaOf = async (file: string) => {
    const [, path = ''] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(await text(file)) ?? []
    expect(path).toMatch(/^\.{1,2}\//)
    return resolve(await realpath(dirname(at(file))), path)
  }
  expect(await runBinary(['scenario', 'new', 'some/deep/name'], { cwd: folder })).toMatchObject({
    code: 0,
    stdout: 'created some/deep/name.yaml. Run it with: paysim run some/deep/name.yaml\n',
  })
  // A copy beside the file, which can be committed with it: the paysim that runs now is nowhere else on another machine.
  expect(await schemaOf('some/deep/name.yaml')).toBe(await realpath(at('some/deep/paysim.schema.json')))
  expect(await text('some/deep/paysim.schema.json')).toBe(read('scenarios/schema.json').toString())
  expect((await runBinary(['run', 'some/deep'], { cwd: folder })).code).toBe(0)

  // The package of the project, as it lies in node_modules: the path is the same for everybody who has the project.
  await mkdir(at('shop/node_modules/paysim/scenarios'), { recursive: true })
  await writeFile(at('shop/node_modules/paysim/scenarios/schema.json'), '{}')
  await writeFile(at('shop/package.json'), '{"devDependencies":{"paysim":"^1"}}')
  await runBinary(['scenario', 'new', 'shop/test/stories/a.yml'], { cwd: folder })
  expect(await text('shop/test/stories/a.yml')).toContain(
    '$schema=../../node_modules/paysim/scenarios/schema.json\n',
  )
  await runBinary(['scenario', 'new', 'b.yaml'], { cwd: at('shop') })
  expect(await text('shop/b.yaml')).toContain('$schema=./node_modules/paysim/scenarios/schema.json\n')

  await writeFile(at('shop/package.json'), '{}')
  await runBinary(['scenario', 'new', 'd.yaml'], { cwd: at('shop') })
  expect(await text('shop/d.yaml')).toContain('$schema=./paysim.schema.json\n')

  expect(await runBinary(['scenario', 'new', 'shop/b.yaml/c.yaml'], { cwd: folder })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('cannot write shop/b.yaml/c.yaml'),
  })
})

test('an unknown subcommand is refused', async () => {
  expect(await paysim(['scenario', 'valdate'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('validate'),
  })
})

describe('the schema for editors', () => {
  const schema = JSON.parse(read('scenarios/schema.json'))
  const check = new Ajv({ strict: false, validateFormats: false }).compile(schema)

  test('is shipped as the command prints it', async () => {
    const { code, stdout } = await paysim(['scenario', 'schema'])
    expect(code).toBe(0)
    expect(schema, 'paysim scenario schema > scenarios/schema.json').toEqual(JSON.parse(stdout))
  })

  test('accepts every scenario that ships', async () => {
    const files = (await readdir(new URL('../../scenarios', import.meta.url))).filter(name =>
      name.endsWith('.yaml'),
    )
    for (const name of files) {
      check(parse(read(`scenarios/${name}`), { merge: true }))
      expect(check.errors ?? [], name).toEqual([])
    }
  })

  test.each([
    { paysim: 1, name: 'x', provder: [] },
    { paysim: 1, name: 'x', steps: [{ creat: {} }] },
    { paysim: 1, name: 'x', steps: [{ repeat: 2, steps: [{ advance: '5 s' }] }] },
    { paysim: 1, name: 'x', steps: [{ 'list payouts': {}, expect: { stats: 200 } }] },
  ])('refuses %j', data => {
    expect(check(data)).toBe(false)
  })
})

test('the examples on the page about scenarios pass', async () => {
  const stories = [...read('docs/scenarios.md').matchAll(/```yaml run\n([\s\S]*?)```/g)].map(
    ([, text = '']) => text,
  )
  expect(stories.length).toBeGreaterThan(0)
  const { folder } = await workspace(Object.fromEntries(stories.map((text, at) => [`${at}.yaml`, text])))
  const { code, stdout } = await paysim(['run', folder])
  expect(code, stdout).toBe(0)
})

test('the page about scenarios has every step, operator and key', () => {
  const page = read('docs/scenarios.md')
  for (const key of [
    ...Object.keys(OPERATORS),
    ...Object.keys(FileSchema.properties),
    ...Object.keys(AnswerSchema.properties),
  ])
    if (key !== '$schema') expect(page).toMatch(new RegExp(`\`${key.replace('$', '\\$')}[\`:]`))
  for (const verb of VERBS.keys()) expect(page).toContain(`\`${verb}\``)
})
