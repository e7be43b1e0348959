"""What both parts of the service rest on.

It has accounts, sessions, limits on rates and bodies, headers, a database chosen by URL, a queue,
and supervised processes. `site.SiteState` is the state that the parts share, `site.ServicePart`
their base.
"""
