export default {
  cacheDir: '../../../../node_modules/.vite/suites',
  test: { include: ['*.suite.mjs'], fileParallelism: false, testTimeout: 60_000 },
}
