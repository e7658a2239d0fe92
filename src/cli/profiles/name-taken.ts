/** Said of a name where nobody asked for the profile that has it to be replaced. */
export const nameTaken = (name: string): string =>
  `there is a profile ${name} already: --replace puts the new one in its place`
