import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { cleanEnvironment } from '../../support/cli/clean-environment.ts'
import { runHere } from '../../support/cli/run-here.ts'
import { simCommands, writeSimFiles } from '../../support/cli/sim-commands.ts'
import { openSite } from '../../support/cli/site.ts'
import { useWorkplace } from '../../support/cli/workplace.ts'

/** What answers 2xx and is no control surface must not be taken for one: by no command, and in no format. */

const place = useWorkplace()

const ANSWERS: readonly (readonly [string, string])[] = [
  ['application/json', '{"id":1}'],
  ['application/json', '[]'],
  ['application/json', 'null'],
  ['application/json', '"x"'],
  ['application/json', '{"data":[{"id":1}]}'],
  ['text/html', '<!doctype html><title>Hello</title>'],
]

beforeAll(() => writeSimFiles(place().path))

const COMMANDS = [
  ...simCommands,
  { name: 'sim payments list -o json', more: () => [] },
  { name: 'webhooks listen', more: () => [] },
]

test.each(COMMANDS)('$name ends with 7, and says which call was answered wrongly', async ({ name, more }) => {
  for (const [type, body] of ANSWERS) {
    const { url, close } = await openSite((request, response) => {
      request.resume().once('end', () => response.writeHead(200, { 'content-type': type }).end(body))
    })
    onTestFinished(close)
    const { code, stdout, stderr } = await runHere([...name.split(' '), ...more(place().path)], {
      ...cleanEnvironment(place().path('.')),
      PAYSIM_CONTROL_URL: url,
      PAYSIM_CONTROL_TOKEN: 'a-token-of-sixteen',
    })
    const said = `${body}: ${stderr}`
    expect(code, said).toBe(7)
    expect(stdout, said).toBe('')
    expect(stderr, said).toMatch(/^paysim: (?:GET|PUT|POST|PATCH|DELETE) \/\S+ was not answered .+$/m)
    expect(stderr, said).not.toMatch(/^ {4}at /m)
  }
})
