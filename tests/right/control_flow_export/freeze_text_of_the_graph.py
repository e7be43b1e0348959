"""Kinds are read from the text of the graphs."""

### BEGIN SOLUTION control_flow_export.freeze
import re


def figures(path):
    def count(graph):
        kinds = re.findall(r"(?:^|= )\s*([\w]+::[\w]+)(?=[\[(])", str(graph), re.M)
        return kinds

    def table(graph):
        kinds = []

        def visit(block):
            for node in block.nodes():
                kinds.append(node.kind())
                for inner in node.blocks():
                    visit(inner)

        visit(graph)
        return {
            "nodes": len(kinds),
            "attributes": kinds.count("prim::GetAttr"),
            "ifs": kinds.count("prim::If"),
            "batch_norms": kinds.count("aten::batch_norm"),
            "dropouts": kinds.count("aten::dropout"),
            "mkldnn": sum(bool(re.search("mkldnn", kind, re.I)) for kind in kinds),
        }

    def loaded():
        return torch.jit.load(path, map_location="cpu").eval()

    return {
        "optimized": table(
            torch.jit.optimize_for_inference(torch.jit.freeze(loaded())).inlined_graph
        ),
        "frozen": table(torch.jit.freeze(loaded()).inlined_graph),
        "scripted": table(loaded().inlined_graph),
    }


### END SOLUTION
