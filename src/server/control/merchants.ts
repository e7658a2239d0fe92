import { MerchantBody, MerchantPatch } from '../../contract/control/requests.ts'
import type { EndpointRecord } from '../../contract/control/webhooks.ts'
import type { FieldProblem } from '../../contract/errors.ts'
import { ENVIRONMENTS, type Environment } from '../../contract/statuses.ts'
import { CANNOT_BE_SHOWN, canBeShown, parseTimestamp } from '../../contract/timestamps.ts'
import { readCatalogue } from '../../domain/catalogue.ts'
import { readRules } from '../../domain/rules/rule.ts'
import { accountId } from '../../engine/account/open-runtime.ts'
import type { Gateway } from '../../engine/gateway.ts'
import type { AccountSetup } from '../../engine/store/merchant-record.ts'
import type { WebhookHosts } from '../../engine/webhooks/webhook-hosts.ts'
import { demandNoProblems, notFound } from '../refusal.ts'
import { bodyReader, type ControlHandlers, type ControlSettings, param } from './control-call.ts'
import { rateIn } from './overview.ts'
import { endpointView, keyView, merchantView } from './views.ts'
import { webhookUrlProblems } from './webhooks.ts'

const readMerchant = bodyReader<MerchantBody>(MerchantBody, { optional: true })
const readPatch = bodyReader<MerchantPatch>(MerchantPatch)

export function merchantCalls({ gateway, unused, removeMerchant, webhookHosts }: ControlSettings) {
  const find = (id: string) => {
    const merchant = gateway.merchant(id)
    if (!merchant) throw notFound('merchant')
    return merchant
  }
  return {
    'POST /merchants': async ({ request, answer }) => {
      const body = await readMerchant(request)
      const merchant = await gateway.createMerchant({
        id: body.id,
        name: body.name,
        checkoutModes: body.checkout_modes,
        seed: body.seed === undefined ? undefined : String(body.seed),
        setup: setupOf(body, webhookHosts),
      })
      unused?.made(merchant.id)
      return answer(201, merchantView(merchant, await endpointsMade(gateway, merchant.id, body.webhooks)))
    },
    'GET /merchants': ({ answer }) =>
      answer(200, { data: gateway.merchants.map(merchant => merchantView(merchant)) }),

    'GET /merchants/:id': ({ request, answer }) => answer(200, merchantView(find(param(request, 'id')))),
    'PATCH /merchants/:id': async ({ request, answer }) => {
      const { id } = find(param(request, 'id'))
      const { name, checkout_modes: checkoutModes } = await readPatch(request)
      await gateway.changeMerchant(id, {
        ...(name === undefined ? {} : { name }),
        ...(checkoutModes ? { checkoutModes } : {}),
      })
      return answer(200, merchantView(find(id)))
    },
    'DELETE /merchants/:id': async ({ request, answer }) => {
      const { id } = find(param(request, 'id'))
      await removeMerchant(id)
      unused?.removed(id)
      return answer(204)
    },

    'POST /accounts/:account/keys': async ({ runtime, answer }) =>
      answer(201, keyView(await gateway.addKeys(runtime))),
    'GET /accounts/:account/keys': ({ runtime, answer }) =>
      answer(200, { data: gateway.keysOf(runtime).map(keyView) }),
    'DELETE /accounts/:account/keys/:key': async ({ runtime, request, answer }) => {
      const revoked = await gateway.revokeKey(runtime, param(request, 'key'))
      if (!revoked) throw notFound('key')
      return answer(204)
    },
  } satisfies Partial<ControlHandlers>
}

/** The endpoints that a new merchant was created with. Their secrets are needed to check what they receive. */
async function endpointsMade(gateway: Gateway, merchant: string, asked: MerchantBody['webhooks'] = []) {
  const made: { [E in Environment]?: EndpointRecord[] } = {}
  for (const environment of ENVIRONMENTS) {
    if (!asked.some(({ environment: only = environment }) => only === environment)) continue
    const runtime = await gateway.account(accountId(merchant, environment))?.open()
    if (runtime) made[environment] = [...runtime.account.world.endpoints.values()].map(endpointView)
  }
  return made
}

/** Checks the whole body before anything of a merchant is created. */
function setupOf(
  { clock, catalogue, rules, webhooks = [] }: MerchantBody,
  webhookHosts: WebhookHosts,
): AccountSetup {
  const read = catalogue === undefined ? undefined : readCatalogue(catalogue)
  const readRule = rules === undefined ? undefined : readRules({ rules })
  const problems: FieldProblem[] = [
    ...(canBeShown(clock?.now) ? [] : [{ field: 'clock.now', message: CANNOT_BE_SHOWN }]),
    ...(readRule && 'problems' in readRule ? readRule.problems : []),
    ...webhooks.flatMap(({ url }, at) => webhookUrlProblems(`webhooks.${at}.url`, url, webhookHosts)),
    ...(read && 'problems' in read
      ? read.problems.map(({ field, message }) => ({ field: `catalogue.${field}`, message }))
      : []),
  ]
  demandNoProblems(problems)
  const now = clock?.now === undefined ? undefined : parseTimestamp(clock.now)
  return {
    ...(clock
      ? { clock: { mode: clock.mode, ...(now === undefined ? {} : { now }), rate: rateIn(clock.rate) } }
      : {}),
    ...(read && 'catalogue' in read ? { catalogue: read.catalogue.data } : {}),
    ...(readRule && 'rules' in readRule ? { rules: readRule.data } : {}),
    webhooks,
  }
}
