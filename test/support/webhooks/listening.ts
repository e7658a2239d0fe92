import type { Shop } from '../cli/shop.ts'
import type { Running } from '../cli/workplace.ts'
import type { World } from '../cli/worlds.ts'

/** The environment that names the simulator's control surface. */
export const controlEnvironment = ({ server }: World) => ({
  PAYSIM_CONTROL_URL: server.controlUrl,
  PAYSIM_CONTROL_TOKEN: server.controlToken,
})

/** `webhooks listen` for a shop, after its endpoint is registered. */
export async function listening(
  world: World,
  shop: Shop,
  ...args: readonly string[]
): Promise<{ readonly listener: Running; readonly greeting: string }> {
  const listener = world.place.start(['webhooks', 'listen', '--account', shop.test.id, ...args], {
    env: controlEnvironment(world),
  })
  const greeting = await listener.says(/Listening.*\n(?:Secret: .*\n)?/)
  return { listener, greeting }
}

/** The simulator's endpoints and deliveries. */
export const endpointsOf = async (shop: Shop): Promise<readonly { url: string }[]> =>
  (await shop.control('GET', '/webhook-endpoints')).body.data

export const statusesSent = async (shop: Shop): Promise<readonly (number | null)[]> => {
  const { body } = await shop.control('GET', '/webhook-deliveries')
  return body.data.flatMap(({ attempts }: { attempts: { response: { status: number | null } }[] }) =>
    attempts.map(({ response }) => response.status),
  )
}

export async function succeed(shop: Shop): Promise<string> {
  const { id } = await shop.pay('probe_transfer')
  await shop.control('POST', `/payments/${id}/succeed`, { body: {} })
  return id
}
