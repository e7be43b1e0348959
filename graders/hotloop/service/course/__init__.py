"""The judge as a service for a class: `hotloop course serve`.

Requests are stored in a database (`jobs`) and judged by processes that `hotloop course serve` keeps
running (`worker`, `works`), in an order that is fair to every learner (`web.turns`). Clients follow
them over streams (`watch`); `hotloop.learn.remote.client` is one.
"""
