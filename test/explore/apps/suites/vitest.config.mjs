export default { test: { include: ['*.suite.mjs'], fileParallelism: false, testTimeout: 60_000 } }
