import type { ControlDoor } from '../../client/control-door.ts'
import { asCurl, DryRun } from '../call/dry-run.ts'

/** Takes each request for its word, and sends none. */
export const dryRunDoor = (): ControlDoor => ({
  open: async request => {
    throw new DryRun(asCurl(request, `-H "Authorization: Bearer $PAYSIM_CONTROL_TOKEN"`))
  },
  close: async () => {},
})
