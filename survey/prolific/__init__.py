"""Prolific, from which participants come: links, codes, events, tokens, a client of its API. Pure.

`links` and `codes` are about what a study on Prolific is given; `signed_links` checks that a link
comes from Prolific, and `events` that an event does; `client` asks Prolific's API, and
`replies` says what is read of its answers; `errors` puts its refusals into a sentence; `tokens`
encrypts the token of an account. Source of the API's paths and fields: Prolific's OpenAPI
description (docs.prolific.com/api-reference, version of July 2026).
"""
