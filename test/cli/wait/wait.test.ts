import { expect, onTestFinished, test } from 'vitest'
import { noTerminal, openTerminal } from '../../support/cli/terminal.ts'
import { inTheSimulator } from '../../support/cli/worlds.ts'
import { png } from '../../support/payments/receipt-images.ts'

inTheSimulator(world => {
  const controlled = () => ({
    PAYSIM_CONTROL_URL: world().server.controlUrl,
    PAYSIM_CONTROL_TOKEN: world().server.controlToken,
  })

  test('wait says on a virtual clock how to advance it', async () => {
    const shop = await world().shop()
    const { id } = await shop.pay('probe_transfer')
    const waiting = shop.start(`payments wait ${id} -o json`, [], { env: controlled() })
    await waiting.says(
      new RegExp(`clock of ${shop.test.id} is virtual: advance it with .paysim sim clock advance`),
    )
    await shop.control('POST', `/payments/${id}/succeed`, { body: {} })
    expect(await waiting.ended).toMatchObject({ code: 0 })
  })

  test('wait says so again after a timeout on a virtual clock', async () => {
    const shop = await world().shop()
    const { id } = await shop.pay('probe_transfer')
    const waiting = shop.start(`payments wait ${id} --timeout 1s`, [], { env: controlled() })
    const { code, stderr } = await waiting.ended
    expect(code, stderr).toBe(8)
    expect(stderr).toMatch(/still pending after 1s\..*is virtual: advance it with .paysim sim clock advance/)
    expect(stderr.match(/is virtual/g)).toHaveLength(2)
    expect(stderr).toMatch(new RegExp(`^  paysim sim payments succeed ${id} --account ${shop.test.id}$`, 'm'))
  })

  test('wait prints one line per change without a terminal, and repeats nothing', async () => {
    const rules = [{ receipt: [{ after: '5s', verdict: 'reject', message: 'Not legible' }] }]
    const shop = await world().shop({ rules })
    const { id } = await shop.pay('probe_receipt')
    const waiting = shop.start(`payments wait ${id} --query status`)
    await waiting.says(/receipt required: the payer transfers/)
    const slip = await world().place.write('slip.png', png())
    expect(await shop.paysim(`payments submit-receipt ${id} --file`, [slip])).toMatchObject({ code: 0 })
    await waiting.says(/receipt processing/)
    await shop.advance('5s')
    await waiting.says(/receipt rejected/)
    await shop.control('POST', `/payments/${id}/fail`, {
      body: { failure_code: 'account_closed', failure_message: 'The account\u001b[2J is closed' },
    })
    const { code, stdout, stderr } = await waiting.ended
    expect({ code, stdout }).toEqual({ code: 9, stdout: 'failed\n' })
    const lines = stderr.trimEnd().split('\n')
    const reason = 'account_closed: The account\\u001b[2J is closed'
    expect(lines.slice(1)).toEqual([
      `${id}: pending, receipt processing`,
      `${id}: pending, receipt rejected (Not legible)`,
      expect.stringContaining(`${id}: failed (${reason})`),
      `paysim: ${id} ended as failed (${reason}), not as succeeded`,
    ])
  })

  test.each([
    ['sucseeded', 'Did you mean succeeded?'],
    ['paid', 'Did you mean succeeded?'],
    ['Completed', 'Did you mean succeeded?'],
    ['failed,canceled', 'Did you mean cancelled?'],
    ['refunded', '--any-status'],
  ])('wait refuses an unknown status: %s', async (status, told) => {
    const shop = await world().shop()
    const { id } = await shop.pay('probe_transfer')
    const { code, stdout, stderr } = await shop.paysim(`payments wait ${id} --until ${status}`)
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(told)
    expect(await shop.requests()).toEqual([`POST /payment_intents`])
  })

  test('wait accepts a status that only the server knows with --any-status', async () => {
    const shop = await world().shop()
    const { id } = await shop.pay('probe_transfer')
    const wait = `payments wait ${id} --until refunded --any-status --timeout 200ms`
    expect(await shop.paysim(wait)).toMatchObject({ code: 8 })
  })

  test('wait does not wait for an unknown payment, or for an impossible status', async () => {
    const shop = await world().shop()
    expect(await shop.paysim('payments wait pi_none')).toMatchObject({ code: 4, stdout: '' })
    const { id } = await shop.pay('probe_transfer')
    await shop.control('POST', `/payments/${id}/succeed`, { body: {} })
    for (const status of ['pending', 'processing', 'cancelled', 'failed,expired'])
      expect(await shop.paysim(`payments wait ${id} --until ${status} --query status`)).toMatchObject({
        code: 9,
        stdout: 'succeeded\n',
      })
  })

  test('--until cancelled recognises a cancelled payment by its failure code', async () => {
    const shop = await world().shop()
    const [cancelled, failed] = await Promise.all([shop.pay('probe_transfer'), shop.pay('probe_transfer')])
    const waiting = shop.start(`payments wait ${cancelled.id} --until cancelled -o json`)
    await waiting.says(/pending/)
    await shop.paysim(`payments cancel ${cancelled.id}`)
    await shop.advance('5s')
    const { code, stdout, stderr } = await waiting.ended
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'failed', failure_code: 'payment_cancelled' })
    expect(stderr).toContain(`${cancelled.id} was cancelled, as wanted; its status is failed.\n`)
    expect(stderr).not.toMatch(/paysim:|payment_cancelled/)
    await shop.control('POST', `/payments/${failed.id}/fail`, { body: {} })
    expect(await shop.paysim(`payments wait ${failed.id} --until cancelled`)).toMatchObject({ code: 9 })
    expect(await shop.paysim(`payments wait ${failed.id} --until cancelled,failed`)).toMatchObject({
      code: 0,
    })
  })

  test('Ctrl-C ends wait with 130, and prints nothing on stdout', async () => {
    const shop = await world().shop()
    const { id } = await shop.pay('probe_transfer')
    const waiting = shop.start(`payments wait ${id} -o json`)
    await waiting.says(/pending/)
    waiting.interrupt()
    expect(await waiting.ended).toMatchObject({ code: 130, stdout: '' })
  })

  test.skipIf(noTerminal)(
    'wait shows the elapsed time on a terminal, and removes it at the end',
    async () => {
      const shop = await world().shop()
      const { id } = await shop.pay('probe_transfer')
      const terminal = await openTerminal(['payments', 'wait', id, '--until', 'failed'], {
        columns: 80,
        env: { ...shop.env, ...controlled() },
      })
      onTestFinished(terminal.close)
      await terminal.waitFor(/is virtual[\s\S]* pi_\w+ pending \d+s/)
      await shop.control('POST', `/payments/${id}/fail`, { body: {} })
      expect(await terminal.exit()).toBe(0)
      const screen = await terminal.capture()
      expect(screen).toMatch(/^pending[\s\S]*^failed \(/m)
      expect(screen).not.toMatch(/pending \d+s/)
      expect(screen).toMatch(new RegExp(`^${id} {2}failed$`, 'm'))
    },
  )
})
