/** Why the way through the identity provider ended without a session, by the word in the address. */
const refusals: Partial<Record<string, string>> = {
  denied: 'The sign-in was cancelled, or the provider refused it. Try again, or ask who runs it.',
  email_not_verified: 'The provider does not vouch for your email address. Verify it there, then try again.',
  expired: 'The sign-in took too long, or was begun in another browser or tab. Try again.',
  inactive: 'Your account here is deactivated. Ask an owner of the platform.',
  groups_missing: 'The provider did not say which groups you are in, so your roles here are unknown. Tell an owner of the platform.',
  name_taken: 'Somebody here already has your email address as their name. Ask an owner to set it as your email.',
  no_group: 'None of your groups at the provider has a role here. Ask whoever runs the groups, or an owner of the platform.',
  not_verified: 'The provider’s answer could not be verified, so nobody was signed in. Try again, or tell an owner of the platform.',
  provider_unreachable: 'The provider does not answer as it should. Try again later, or sign in with a token.',
  unknown_person: 'You have no account here yet. Ask an owner to add you with your email address.',
}

export function refusalWords(reason: string): string {
  return refusals[reason] ?? 'Nobody was signed in. Try again.'
}
