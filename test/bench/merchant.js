import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A merchant at a command line: keys and address in the environment, an empty home and an empty folder. */
export async function merchantAt(url, { publicKey = 'pk_test_bench', secretKey = 'sk_test_bench' } = {}) {
  const home = await mkdtemp(join(tmpdir(), 'paysim-bench-'))
  return {
    where: {
      cwd: home,
      more: {
        XDG_CONFIG_HOME: home,
        PAYSIM_BASE_URL: url,
        PAYSIM_PUBLIC_KEY: publicKey,
        PAYSIM_SECRET_KEY: secretKey,
      },
    },
    leave: () => rm(home, { recursive: true, force: true }),
  }
}
