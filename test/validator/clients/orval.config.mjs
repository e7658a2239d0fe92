const made = name => ({
  input: `${name}.json`,
  output: {
    target: `orval/${name}.ts`,
    client: 'fetch',
    baseUrl: { getBaseUrlFromSpecification: true },
    override: { splitByContentType: true },
  },
})

export default { merchant: made('merchant'), control: made('control') }
