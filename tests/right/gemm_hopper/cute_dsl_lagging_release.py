# One product stays in flight: the slot of the step before goes back, as in task 9.
    ### BEGIN SOLUTION gemm_hopper.cute_dsl
    @cute.kernel
    def product(self, of_a, of_b, c: cute.Tensor, products: cute.TiledMma):
        """Block (i, j) computes the tile of c there.

        of_a, of_b: the copy of a tile, the matrix as this copy takes it, and the layout of
        the slots, whose `outer` and `inner` are a layout and its swizzle.
        """
        (a_load, a, a_slots), (b_load, b, b_slots) = of_a, of_b
        i, j, _ = cute.arch.block_idx()
        t, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        shared = memory.SmemAllocator()
        a_shared = shared.allocate_tensor(cutlass.Float16, a_slots.outer, 1024, a_slots.inner)
        b_shared = shared.allocate_tensor(cutlass.Float16, b_slots.outer, 1024, b_slots.inner)
        slots = pipeline.PipelineTmaAsync.create(
            barrier_storage=shared.allocate_array(cutlass.Int64, 2 * self.stages),
            num_stages=self.stages,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, CONSUMERS // 32),
            tx_count=2 * (TILE_M + self.tile_n) * TILE_K,
            cta_layout_vmnk=cute.make_layout((1, 1, 1, 1)),
        )
        a_global = cute.local_tile(a, (TILE_M, TILE_K), (i, None))
        b_global = cute.local_tile(b, (self.tile_n, TILE_K), (j, None))
        one = cute.make_layout(1)
        a_to, a_from = cpasync.tma_partition(
            a_load, 0, one, cute.group_modes(a_shared, 0, 2), cute.group_modes(a_global, 0, 2)
        )
        b_to, b_from = cpasync.tma_partition(
            b_load, 0, one, cute.group_modes(b_shared, 0, 2), cute.group_modes(b_global, 0, 2)
        )
        steps = cute.size(a_global, mode=[2])
        if warp >= CONSUMERS // 32:
            cute.arch.setmaxregister_decrease(32)
            if warp == CONSUMERS // 32:
                to = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, self.stages)
                for step in cutlass.range(steps, unroll=1):
                    slots.producer_acquire(to)
                    full = slots.producer_get_barrier(to)
                    cute.copy(a_load, a_from[None, step], a_to[None, to.index], tma_bar_ptr=full)
                    cute.copy(b_load, b_from[None, step], b_to[None, to.index], tma_bar_ptr=full)
                    slots.producer_commit(to)
                    to.advance()
                slots.producer_tail(to)
        else:
            cute.arch.setmaxregister_increase(224)
            mine = products.get_slice(t)
            left = products.make_fragment_A(mine.partition_A(a_shared))
            right = products.make_fragment_B(mine.partition_B(b_shared))
            result = mine.partition_C(cute.local_tile(c, (TILE_M, self.tile_n), (i, j)))
            sums = cute.make_rmem_tensor(result.shape, cutlass.Float32)
            at = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.stages)
            back = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.stages)
            products.set(warpgroup.Field.ACCUMULATE, False)
            for _ in cutlass.range(steps, unroll=1):
                slots.consumer_wait(at)
                warpgroup.fence()
                for k in cutlass.range_constexpr(cute.size(left, mode=[2])):
                    place = (None, None, k, at.index)
                    cute.gemm(products, sums, left[place], right[place], sums)
                    products.set(warpgroup.Field.ACCUMULATE, True)
                warpgroup.commit_group()
                warpgroup.wait_group(1)
                if at.count > 0:
                    slots.consumer_release(back)
                    back.advance()
                at.advance()
            warpgroup.wait_group(0)
            slots.consumer_release(back)
            rounded = cute.make_rmem_tensor(result.shape, cutlass.Float16)
            rounded.store(sums.load().to(cutlass.Float16))
            cute.autovec_copy(rounded, result)

    ### END SOLUTION
