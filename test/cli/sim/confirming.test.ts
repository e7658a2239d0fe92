import { expect, test } from 'vitest'
import { driven } from '../../support/cli/sim.ts'
import { noTerminal, openTerminal } from '../../support/cli/terminal.ts'

const { server, shop } = driven()

test.skipIf(noTerminal)(
  'sim reset asks for confirmation before it empties an account, and respects the answer',
  async () => {
    const { keys, pay, control } = await shop()
    const { id } = await pay()
    const env = { PAYSIM_CONTROL_URL: server().controlUrl, PAYSIM_CONTROL_TOKEN: server().controlToken }
    const answered = async (answer: string) => {
      const terminal = await openTerminal(['sim', 'reset', '--account', keys.id], { env, columns: 100 })
      await terminal.waitFor(`Empty ${keys.id} at ${server().controlUrl}?`)
      await terminal.type(answer)
      await terminal.press('Enter')
      const code = await terminal.exit()
      const screen = await terminal.capture()
      await terminal.close()
      return { code, screen }
    }
    expect(await answered('n')).toMatchObject({
      code: 2,
      screen: expect.stringContaining('nothing was changed'),
    })
    expect((await control('GET', `/payments/${id}`)).status).toBe(200)
    expect(await answered('y')).toMatchObject({
      code: 0,
      screen: expect.stringContaining('is empty'),
    })
    expect((await control('GET', `/payments/${id}`)).status).toBe(404)
  },
)
