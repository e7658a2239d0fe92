import * as Type from '@sinclair/typebox'
import type { CatalogueData } from '../../domain/catalogue.ts'
import { routingTable } from '../../domain/decide/routing-table.ts'
import type { Tenant } from '../../engine/tenant.ts'
import { carryOut } from '../carry-out.ts'
import type { Routes } from '../http/routes.ts'
import { bodyReader, param, send, tenantNamed } from './control-call.ts'
import { HealthBody } from './schemas.ts'
import type { ControlSettings } from './settings.ts'

const readAnything = bodyReader<unknown>(Type.Object({}))
const readHealth = bodyReader<HealthBody>(HealthBody)

export function catalogueCalls(scope: Routes, { gateway }: ControlSettings): void {
  scope.get('/accounts/:account/catalogue', (request, reply) =>
    send(reply, 200, catalogueView(tenantNamed(gateway, request))),
  )

  scope.put('/accounts/:account/catalogue', async (request, reply) => {
    const tenant = tenantNamed(gateway, request)
    const catalogue = (await readAnything(request)) as CatalogueData
    await carryOut(tenant, { type: 'ReplaceCatalogue', catalogue }, 'operator')
    return send(reply, 200, catalogueView(tenant))
  })

  scope.patch('/accounts/:account/catalogue/providers/:provider', async (request, reply) => {
    const tenant = tenantNamed(gateway, request)
    const { healthy } = await readHealth(request)
    const provider = param(request, 'provider')
    await carryOut(tenant, { type: 'SetProviderHealth', provider, healthy }, 'operator')
    return send(reply, 200, { id: provider, healthy })
  })
}

/** As it was given, with each provider's health as it is now. */
function catalogueView(tenant: Tenant) {
  const { catalogue, isHealthy } = routingTable(tenant.account.world, tenant)
  const { providers, methods, routes } = catalogue.data
  return { providers: providers.map(({ id }) => ({ id, healthy: isHealthy(id) })), methods, routes }
}
