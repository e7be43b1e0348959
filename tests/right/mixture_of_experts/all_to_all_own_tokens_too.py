"""Three steps by formula; a rank also sends tokens to itself, and lists some of them twice."""


### BEGIN SOLUTION mixture_of_experts.all_to_all
def plan_exchange(path, per_node):
    wants = json.loads(Path(path).read_text())
    to_card, across, within = defaultdict(list), defaultdict(list), defaultdict(list)
    turn = Counter()
    for rank, tokens in enumerate(wants):
        home = rank // per_node
        for number, targets in enumerate(tokens):
            token = [rank, number]
            for node in sorted({target // per_node for target in targets}):
                here = [target for target in targets if target // per_node == node]
                gate = rank
                if node != home:
                    card = turn[home, node] % per_node
                    turn[home, node] += 1
                    sender, gate = home * per_node + card, node * per_node + card
                    to_card[rank, sender].append(token)
                    across[sender, gate].append(token)
                for target in here:
                    (across if node == home else within)[gate, target].append(token)
    return [
        [[*ends, tokens] for ends, tokens in step.items()] for step in (to_card, across, within)
    ]


### END SOLUTION
