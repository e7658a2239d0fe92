import { STORY_FORMATS, type StoryFormat } from '../../contract/control/operations/records.ts'
import type { CatalogueData } from '../../domain/catalogue.ts'
import { readPackageFile } from '../../package-files.ts'
import type { Story } from '../../scenario/from/story.ts'
import { one } from '../lists.ts'
import { notFound, refuse, refuseProblems } from '../refusal.ts'
import type { ControlHandlers, ControlSettings } from './control-call.ts'

/** What was done with payments and payouts, as a scenario or a test. */
export function scenarioCalls({ gateway }: ControlSettings) {
  return {
    'GET /accounts/:account/scenario': async ({ runtime, request, reply }) => {
      const ids = idsIn(one(request, 'id'))
      const format = formatIn(one(request, 'format') ?? 'yaml')
      const { account } = runtime
      const { world, journal, environment } = account
      for (const id of ids)
        if (!world.payments.has(id) && !world.payouts.has(id)) throw notFound(`payment or payout ${id}`)
      await account.settled()
      // Loaded only when somebody asks, with the library that writes YAML.
      const { entriesAbout, NotRepeatableError, storyOf } = await import('../../scenario/from/story.ts')
      const write = await WRITERS[format]()
      const entries = await entriesAbout(ids, id => journal.history(id))
      try {
        const catalogue = (world.catalogue ?? runtime.catalogue).data
        const { contract } = gateway
        const story = storyOf({ environment, contract, ids, entries, catalogue, standard: standard() })
        return reply.code(200).header('content-type', 'text/plain; charset=utf-8').send(write(story))
      } catch (error) {
        if (error instanceof NotRepeatableError) throw refuse('invalid_state', error.message)
        throw error
      }
    },
  } satisfies Partial<ControlHandlers>
}

const WRITERS: Readonly<Record<StoryFormat, () => Promise<(story: Story) => string>>> = {
  yaml: async () => (await import('../../scenario/from/yaml.ts')).yamlOf,
  vitest: async () => (await import('../../scenario/from/code.ts')).vitestOf,
  pytest: async () => (await import('../../scenario/from/code.ts')).pytestOf,
}

/** How many records a scenario can have: more than anybody reads. */
const MOST = 100

function idsIn(text: string | undefined): string[] {
  const ids = [...new Set((text ?? '').split(',').filter(id => id !== ''))]
  if (ids.length === 0)
    throw refuseProblems([{ field: 'id', message: 'is required: name a payment or a payout' }])
  if (ids.length > MOST) throw refuseProblems([{ field: 'id', message: `must name at most ${MOST} records` }])
  return ids
}

function formatIn(text: string): StoryFormat {
  const format = STORY_FORMATS.find(known => known === text)
  if (format) return format
  throw refuseProblems([{ field: 'format', message: `must be one of ${STORY_FORMATS.join(', ')}` }])
}

/** The catalogue of an account that sets none, in any simulator that has none of its own. */
const standard = (): CatalogueData => JSON.parse(readPackageFile('fixtures/catalogue.json').toString())
