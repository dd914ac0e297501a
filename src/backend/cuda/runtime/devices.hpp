// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several devices: which one the calling thread works on, and whether what it uses is there.
#pragma once

#include <lazyfuse/backend/cuda/runtime/runtime.hpp>

namespace lazyfuse::cuda_detail {

using device_scope = memory_detail::device_scope<cuda>;

int device_count();
/// The device of the innermost scope of this thread, else CUDA's current one.
int current_device();

/// What the runtime knows of an address; nothing of memory that CUDA has not been told of.
cudaPointerAttributes attributes_of(const void* p);

/// Whether it is a handle of the default streams, of which every device has its own.
bool is_default(cudaStream_t stream);
/// The device of a stream; home: the one that default streams are meant to be of. -1 if there is one device.
int device_of_stream(cudaStream_t stream, int home);

/// Throws device_error, which names the program that is launched, unless all operands and targets, and the stream
/// given by on(), are of the current device.
void check_devices(const planning::operand_info* info, int targets, int count);
/// Throws device_error if a resource has given memory of another device.
void check_resource(const void* data, int device, const char* operation);

/// The thread's own stream of the current device, whatever on() has given.
cudaStream_t own_stream();

/// Waits for the stream given by on(), or for those of the thread.
void wait_for_thread();

}  // namespace lazyfuse::cuda_detail
