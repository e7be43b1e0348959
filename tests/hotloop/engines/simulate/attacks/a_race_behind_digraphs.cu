// found: race
// A race behind digraphs.
__global__ void k(float* x) <%
  __shared__ float s<:32:>;
  s<:threadIdx.x:> = threadIdx.x;
  x<:threadIdx.x:> = s<:31 - threadIdx.x:>;
%>
