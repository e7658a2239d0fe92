import type { View } from '../../../output/view.ts'
import { visible } from '../../../output/visible.ts'

/** For a call that is answered with nothing: that it was done is no data, and so is said on stderr. */
export const nothingView = (done: string): View<void> => ({
  human() {
    process.stderr.write(`${visible(done)}\n`)
    return ''
  },
})
