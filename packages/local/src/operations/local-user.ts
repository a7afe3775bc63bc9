/** Names of the one user of this server and of the organisation they are in, as tokens and lists tell them. */
export const LOCAL_USER = { userUrn: "tml:user:local", orgId: "local" } as const;
