"""The judge as a service for a class: `hotloop serve`.

Requests are stored in a database (`jobs`), judged by processes that `hotloop serve` keeps running
(`worker`, `works`), in an order that is fair to every learner (`order`), and followed over streams
(`watch`). `app` is the web application; learners reach it with `hotloop.remote.client`.
"""
