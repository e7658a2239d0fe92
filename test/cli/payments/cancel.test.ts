import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { inTheSimulator } from '../../support/cli/worlds.ts'

inTheSimulator(world => {
  test('a cancellation is shown as requested, without the next action', async () => {
    const shop = await world().shop()
    const { id } = await shop.pay('probe_qr')
    expect((await shop.paysim(`payments get ${id}`)).stdout).toMatch(/█|▀/)
    const { code, stdout, stderr } = await shop.paysim(`payments cancel ${id}`)
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(/cancellation +requested/)
    expect(stdout).toContain('pending')
    expect(stdout).not.toMatch(/█|▀|next action|\bQR\b/)
    expect(stderr).toContain(`paysim payments wait ${id} --until cancelled`)
    const again = await shop.paysim(`payments cancel ${id} -o json`)
    expect(JSON.parse(again.stdout), 'programs get all of it').toMatchObject({
      next_action: { type: 'display_qr_code' },
    })
    expect(again.stderr).not.toMatch(/to see it through|asked for/)
  })

  test('the suggested next command has the same target', async () => {
    const shop = await world().shop()
    const { id } = await shop.pay('probe_transfer')
    const { stderr } = await shop.paysim(`payments cancel ${id} --base-url ${world().url}`)
    expect(stderr).toContain(`--until cancelled --base-url ${world().url}`)
  })

  test('an ended payment does not offer to be cancelled or to accept receipts', async () => {
    const shop = await world().shop()
    const { id } = await shop.pay('probe_transfer')
    const { controlUrl, controlToken } = world().server
    const env = { PAYSIM_CONTROL_URL: controlUrl, PAYSIM_CONTROL_TOKEN: controlToken }
    const show = () => shop.paysim(`sim payments show ${id} --account ${shop.test.id}`, [], { env })
    expect((await show()).stdout).toMatch(/can be cancelled[\s\S]*expires/)
    await shop.control('POST', `/payments/${id}/succeed`, { body: {} })
    const { code, stdout, stderr } = await show()
    expect(code, stderr).toBe(0)
    expect(stdout).not.toMatch(/can be cancelled|expires|takes receipt/)
  })

  test('the error of a write says that it may have been carried out; that of a read does not', async () => {
    const server = createServer(request => request.socket.destroy()).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise(resolve => server.once('listening', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const shop = await world().shop()
    const env = { PAYSIM_BASE_URL: `http://127.0.0.1:${port}` }
    const run = (words: string) => shop.paysim(`${words} --retries 0`, [], { env })
    for (const read of ['payments get pi_1', 'payouts list', 'payments wait pi_1']) {
      const { code, stderr } = await run(read)
      expect(code, stderr).toBe(7)
      expect(stderr).not.toMatch(/carried out/)
    }
    for (const write of ['payments cancel pi_1', 'payouts cancel po_1'])
      expect((await run(write)).stderr).toMatch(/may have been carried out/)
  })
})
