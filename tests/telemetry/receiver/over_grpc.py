"""The three OTLP services over gRPC, their requests taken as the bytes they are."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

from tests.telemetry.receiver.arrivals import Folder

_SERVICES = {
    "traces": trace_service_pb2.DESCRIPTOR.services_by_name["TraceService"],
    "metrics": metrics_service_pb2.DESCRIPTOR.services_by_name["MetricsService"],
    "logs": logs_service_pb2.DESCRIPTOR.services_by_name["LogsService"],
}


def over_grpc(folder: Folder) -> int:
    """Serve until the process ends, and give the port."""
    server = grpc.server(ThreadPoolExecutor(max_workers=16))
    server.add_generic_rpc_handlers([_handler(signal, folder) for signal in _SERVICES])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    _RUNNING.append(server)
    return int(port)


_RUNNING: list[grpc.Server] = []
"""A server that nobody holds stops."""


def _handler(signal: str, folder: Folder) -> grpc.GenericRpcHandler:
    # the generated servicers hand over parsed messages; what was sent is wanted, byte for byte
    def export(body: bytes, context: grpc.ServicerContext) -> bytes:
        heading = _heading(context.invocation_metadata())
        return folder.keep(signal, body, heading=heading, sent=body)

    method = grpc.unary_unary_rpc_method_handler(export)
    return grpc.method_handlers_generic_handler(_SERVICES[signal].full_name, {"Export": method})


def _heading(metadata: Iterable[Any]) -> str:
    return "\n".join(f"{key}: {value!r}" for key, value in metadata)
